import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChatFormat } from '../../../../src/protocols/llm/format.ts'
import { type LlmStreamFormat, llmStreamViolations } from '../../../../src/testing/index.ts'
import { type ReceivedEvent, receivedEvents, type Cell, cells, providerBytes } from './goldens.ts'
import { translated } from './translate.ts'

/** How a client detects a complete response. */
const ends: Record<LlmStreamFormat, string> = {
  completions: 'data: [DONE]',
  messages: 'event: message_stop',
  responses: 'event: response.completed',
  generateContent: '"finishReason"',
}

/** How it detects an error. */
const breaks: Record<LlmStreamFormat, RegExp> = {
  completions: /^data: \{"error":\{/m,
  messages: /^event: error$/m,
  responses: /^event: (?:error|response\.failed)$/m,
  generateContent: /^data: \{"error":\{/m,
}

/** How many final events of its golden stream a provider may omit without losing content: usage, and end markers. */
const spare: Record<ChatFormat, number> = {
  completions: 2,
  messages: 0,
  responses: 0,
  generateContent: 0,
  converse: 1,
}

/** Asserts that the client's stream is valid, and returns how it ends. */
const endOf = (cell: Cell, arrivals: readonly ReceivedEvent[]): 'whole' | 'broken' => {
  const text = translated(cell, arrivals)
  assert.deepEqual(llmStreamViolations(cell.client, text), [], text)
  const isWhole = text.includes(ends[cell.client])
  assert.equal(breaks[cell.client].test(text), !isWhole, text)
  return isWhole ? 'whole' : 'broken'
}

for (const cell of cells)
  test(`a stream of ${cell.provider} for a client of ${cell.client}`, async (t) => {
    const bytes = providerBytes(cell.provider)
    const all = receivedEvents(cell.provider, [bytes])

    await t.test("that is truncated after any event ends with the client's error", () => {
      const found = all.map((_, i) => endOf(cell, all.slice(0, i)))
      const enough = all.length - spare[cell.provider]
      assert.deepEqual(
        found,
        all.map((_, i) => (i < enough ? 'broken' : 'whole')),
      )
      assert.equal(endOf(cell, all), 'whole')
    })

    await t.test('that is truncated after any byte does, too', () => {
      const seen = new Set<string>()
      // A missing blank line after the last event is added; frames have explicit lengths.
      const end = cell.provider === 'converse' ? Buffer.alloc(0) : Buffer.from('\n\n')
      for (let i = 0; i < bytes.length; i++) {
        const arrivals = receivedEvents(cell.provider, [bytes.subarray(0, i), end])
        const { data = '' } = arrivals.at(-1) ?? {}
        const key = `${arrivals.length} ${data}`
        if (seen.has(key)) continue
        seen.add(key)
        endOf(cell, arrivals)
      }
    })

    await t.test("that contains garbage ends with the client's error", () => {
      for (const data of ['{', '[]', 'null', '"text"', '{"type":5}', '{"choices":5}', '{"candidates":[7]}'])
        for (let i = 0; i < all.length; i++) {
          const bad = { name: all[i]?.name, data }
          endOf(cell, [...all.slice(0, i), bad, ...all.slice(i)])
        }
    })
  })
