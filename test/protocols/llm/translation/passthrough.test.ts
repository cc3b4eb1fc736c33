import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StreamAttributes } from '../../../../src/protocols/llm/chat/codec.ts'
import { codecs } from '../../../../src/protocols/llm/codecs.ts'
import { llmStreamViolations } from '../../../../src/testing/index.ts'
import { goldenText } from './goldens.ts'

const formats = ['completions', 'messages', 'responses', 'generateContent'] as const

for (const format of formats)
  test(`a stream of ${format} that is passed through`, async (t) => {
    const events = goldenText(`formats/${format}/stream.sse`).split(/(?<=\n\n)/)
    await t.test("ends with the client's error, wherever it is truncated", () => {
      const facts = codecs[format].streamAttributes()
      for (let i = 0; i < events.length; i++) {
        const error = codecs[format].encodeStreamError({ status: 502, message: 'cut' }, facts)
        const seen = [...events.slice(0, i), error].join('')
        const rules = llmStreamViolations(format, seen).map(({ rule }) => rule)
        assert.deepEqual(
          rules.filter((rule) => i > 0 || !['start', 'identity'].includes(rule)),
          [],
          seen,
        )
        look(facts, events[i] ?? '')
      }
    })

    await t.test('has usage, and a known end', () => {
      const facts = codecs[format].streamAttributes()
      const seen = events.map((event) => {
        look(facts, event)
        return facts.isComplete
      })
      const whole = seen.indexOf(true)
      assert.equal(whole, format === 'completions' ? events.length - 3 : events.length - 1)
      assert.ok(seen.slice(whole).every((isWhole) => isWhole))
      const { model, usage } = facts.attributes
      assert.equal(
        model,
        format === 'messages' ? 'claude-1' : format === 'generateContent' ? 'gemini-1' : 'gpt-1',
      )
      assert.deepEqual(
        [usage?.inputTokens, usage?.outputTokens, usage?.totalTokens, usage?.cachedInputTokens],
        [160, 40, 200, 50],
      )
      assert.equal(usage?.reasoningTokens, format === 'messages' ? undefined : 8)
    })

    await t.test('has attributes, several events at once, if one of them has', () => {
      const concerned = (facts: StreamAttributes, text: string) => facts.concerns(Buffer.from(text))
      for (let i = 0; i < events.length; i++) {
        const facts = codecs[format].streamAttributes()
        for (const event of events.slice(0, i)) look(facts, event)
        for (let end = i + 1; end <= events.length; end++) {
          const some = events.slice(i, end)
          assert.equal(
            concerned(facts, some.join('')),
            some.some((event) => concerned(facts, event)),
            some.join(''),
          )
        }
      }
    })
  })

const look = (facts: StreamAttributes, event: string): void => {
  const bytes = Buffer.from(event)
  facts.pass?.(bytes)
  if (!facts.concerns(bytes)) return
  const [, name] = /^event: (.*)$/m.exec(event) ?? []
  const [, data = ''] = /^data: (.*)$/m.exec(event) ?? []
  facts.push(name, data)
}
