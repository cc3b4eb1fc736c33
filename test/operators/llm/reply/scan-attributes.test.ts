import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { AttributeScan } from '../../../../src/operators/llm/reply/scan-attributes.ts'

const usage = { prompt_tokens: 3, completion_tokens: 4 }
const answer = (content: string) =>
  Buffer.from(JSON.stringify({ id: 'a', model: 'm', choices: [{ message: { content } }], usage }))

suite('attributes of a response body', () => {
  test('are the same in any chunks', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 300 }),
        fc.array(fc.double({ min: 0, max: 1, noNaN: true })),
        (content, cuts) => {
          const bytes = answer(content)
          const whole = new AttributeScan()
          whole.all(bytes)
          const pieces = new AttributeScan()
          let from = 0
          for (const to of [...cuts.map((cut) => Math.round(cut * bytes.length)), bytes.length].sort(
            (a, b) => a - b,
          )) {
            pieces.push(bytes.subarray(from, to))
            from = to
          }
          assert.deepEqual(whole.read(), { model: 'm', usage })
          assert.deepEqual(pieces.read(), whole.read())
          const wanted = new AttributeScan(1000)
          wanted.all(bytes)
          assert.deepEqual(wanted.read(), JSON.parse(bytes.toString()))
        },
      ),
    )
  })

  test('are kept when the buffer is reused', () => {
    const bytes = answer('hello')
    const facts = new AttributeScan()
    facts.all(bytes)
    bytes.fill(0)
    assert.deepEqual(facts.read()?.usage, usage)
  })

  test('are found at both ends of a body that exceeds the buffer', () => {
    const bytes = answer('x'.repeat(200_000))
    const facts = new AttributeScan()
    facts.all(bytes)
    assert.deepEqual(facts.read(), { model: 'm', usage })
  })

  test('are absent if it is not an object', () => {
    for (const text of ['', '[1]', '{"a":'])
      for (const facts of [new AttributeScan(), new AttributeScan(1000)]) {
        facts.all(Buffer.from(text))
        assert.equal(facts.read(), undefined, text)
      }
  })
})
