import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { WholeFacts } from '../../../../src/operators/backend/llm/whole-facts.ts'

const usage = { prompt_tokens: 3, completion_tokens: 4 }
const answer = (content: string) =>
  Buffer.from(JSON.stringify({ id: 'a', model: 'm', choices: [{ message: { content } }], usage }))

suite('what an answer says of itself', () => {
  test('is the same however it comes', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 300 }),
        fc.array(fc.double({ min: 0, max: 1, noNaN: true })),
        (content, cuts) => {
          const bytes = answer(content)
          const whole = new WholeFacts()
          whole.all(bytes)
          const pieces = new WholeFacts()
          let from = 0
          for (const to of [...cuts.map((cut) => Math.round(cut * bytes.length)), bytes.length].sort(
            (a, b) => a - b,
          )) {
            pieces.push(bytes.subarray(from, to))
            from = to
          }
          assert.deepEqual(whole.read(), { model: 'm', usage })
          assert.deepEqual(pieces.read(), whole.read())
          const wanted = new WholeFacts(1000)
          wanted.all(bytes)
          assert.deepEqual(wanted.read(), JSON.parse(bytes.toString()))
        },
      ),
    )
  })

  test('is kept when the memory it came in is used again', () => {
    const bytes = answer('hello')
    const facts = new WholeFacts()
    facts.all(bytes)
    bytes.fill(0)
    assert.deepEqual(facts.read()?.usage, usage)
  })

  test('is found at both ends of one that is longer than is kept', () => {
    const bytes = answer('x'.repeat(200_000))
    const facts = new WholeFacts()
    facts.all(bytes)
    assert.deepEqual(facts.read(), { model: 'm', usage })
  })

  test('is nothing if it is no object', () => {
    for (const text of ['', '[1]', '{"a":'])
      for (const facts of [new WholeFacts(), new WholeFacts(1000)]) {
        facts.all(Buffer.from(text))
        assert.equal(facts.read(), undefined, text)
      }
  })
})
