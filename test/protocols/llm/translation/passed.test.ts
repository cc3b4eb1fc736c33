import assert from 'node:assert/strict'
import { test } from 'node:test'
import { codecs } from '../../../../src/protocols/llm/codecs.ts'
import { llmStreamViolations } from '../../../../src/testing/index.ts'
import { goldenText } from './goldens.ts'

const formats = ['completions', 'messages', 'responses', 'generateContent'] as const

for (const format of formats)
  test(`a stream of ${format} that passes as it is`, async (t) => {
    const events = goldenText(`formats/${format}/stream.sse`).split(/(?<=\n\n)/)
    const error = codecs[format].encodeStreamError({ status: 502, message: 'cut' })

    await t.test('ends as its client expects of a broken one, wherever it is cut', () => {
      // Of what somebody else wrote, ids and numbers are not known.
      const unknown = format === 'responses' ? ['identity', 'sequence'] : []
      for (let i = 0; i < events.length; i++) {
        const seen = [...events.slice(0, i), error].join('')
        const rules = llmStreamViolations(format, seen).map(({ rule }) => rule)
        assert.deepEqual(
          rules.filter((rule) => !unknown.includes(rule) && !(i === 0 && rule === 'start')),
          [],
          seen,
        )
      }
    })

    await t.test('says what was used, and when it is whole', () => {
      const facts = codecs[format].streamFacts()
      const seen = events.map((event) => {
        if (facts.concerns(Buffer.from(event))) {
          const [, name] = /^event: (.*)$/m.exec(event) ?? []
          const [, data = ''] = /^data: (.*)$/m.exec(event) ?? []
          facts.push(name, data)
        }
        return facts.isComplete
      })
      const whole = seen.indexOf(true)
      assert.equal(whole, format === 'completions' ? events.length - 3 : events.length - 1)
      assert.ok(seen.slice(whole).every((isWhole) => isWhole))
      const { model, usage } = facts.facts
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
  })
