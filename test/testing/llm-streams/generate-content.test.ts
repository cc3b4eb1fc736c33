import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type LlmStreamRule, llmStreamViolations } from '../../../src/testing/index.ts'
import { unnamed } from '../../support/sse-text.ts'

// Written from the types of @google/genai (GenerateContentResponse, Part, FinishReason).
type Chunk = Readonly<Record<string, unknown>>

const chunk = (parts: readonly object[], more: Chunk = {}, around: Chunk = {}): Chunk => ({
  candidates: [{ content: { role: 'model', parts }, index: 0, ...more }],
  modelVersion: 'gemini',
  responseId: 'r1',
  ...around,
})
const usage = (totalTokenCount: number) => ({ usageMetadata: { promptTokenCount: 3, totalTokenCount } })
const says = (text: string, more: Chunk = {}) => chunk([{ text }], more)
const stop = chunk([{ text: '' }], { finishReason: 'STOP' }, usage(9))
const error = { error: { code: 503, message: 'Overloaded', status: 'UNAVAILABLE' } }
const call = (functionCall: object) => chunk([{ functionCall }])

const valid: Readonly<Record<string, readonly Chunk[]>> = {
  words: [chunk([{ text: 'Hel' }], {}, usage(4)), says('lo'), stop],
  'all in one chunk': [says('Hello', { finishReason: 'STOP' })],
  'without an index and without content': [{ candidates: [{ finishReason: 'MAX_TOKENS' }] }],
  'thoughts, with a signature of their own': [
    chunk([{ text: 'Hm', thought: true }]),
    chunk([{ thoughtSignature: 'c2ln' }]),
    stop,
  ],
  'tool calls': [call({ name: 'f', args: { q: 1 } }), call({ id: 'b', name: 'g' }), stop],
  'figures after the end': [says('Hi', { finishReason: 'STOP' }), { ...usage(4), responseId: 'r1' }],
  'two candidates': [says('a'), says('b', { index: 1 }), stop, says('', { index: 1, finishReason: 'STOP' })],
  'a prompt that is blocked': [{ promptFeedback: { blockReason: 'SAFETY' }, ...usage(3) }],
  'an error at once': [error],
  'an error after text': [says('Hi'), error],
}

const wrong: readonly (readonly [what: string, rule: LlmStreamRule, chunks: readonly Chunk[]])[] = [
  ['has no reason to stop', 'end', [says('Hi')]],
  ['lacks the reason of one candidate', 'end', [says('a'), says('b', { index: 1 }), stop]],
  ['is empty', 'end', []],
  ['holds only figures', 'end', [usage(4)]],
  ['stops twice', 'end', [stop, stop]],
  ['goes on after its reason to stop', 'end', [says('Hi', { finishReason: 'STOP' }), says('!')]],
  ['goes on after an error', 'end', [error, stop]],
  ['stops for a reason of another format', 'finish', [says('Hi', { finishReason: 'stop' })]],
  ['stops for nothing special', 'finish', [says('Hi', { finishReason: 'FINISH_REASON_UNSPECIFIED' })]],
  ['changes its id', 'identity', [says('Hi'), { ...stop, responseId: 'r2' }]],
  ['changes its model', 'identity', [says('Hi'), { ...stop, modelVersion: 'other' }]],
  ['leaves out a candidate', 'index', [says('a'), says('b', { index: 2 }), stop]],
  ['has a part that is two things', 'delta', [chunk([{ text: 'a', functionCall: { name: 'f' } }]), stop]],
  ['has text that is no text', 'delta', [chunk([{ text: 1 }]), stop]],
  ['has a part of an unknown type', 'known', [chunk([{ type: 'text' }]), stop]],
  ['has a tool call without a name', 'shape', [call({ args: {} }), stop]],
  ['has a tool call with a number for an id', 'shape', [call({ name: 'f', id: 1 }), stop]],
  ['has text as arguments', 'arguments', [call({ name: 'f', args: '{}' }), stop]],
  ['has a list as arguments', 'arguments', [call({ name: 'f', args: [] }), stop]],
  ['has another role', 'shape', [chunk([], { content: { role: 'assistant', parts: [] } }), stop]],
  ['has parts that are no list', 'shape', [chunk([], { content: { role: 'model', parts: {} } }), stop]],
  ['has candidates that are no list', 'shape', [{ candidates: {} }, stop]],
  ['counts down', 'usage', [chunk([{ text: 'Hi' }], {}, usage(10)), stop]],
  ['has an error without a status', 'shape', [{ error: { code: 503, message: 'Overloaded' } }]],
]

test('a stream of generateContent', async (t) => {
  for (const [what, chunks] of Object.entries(valid))
    await t.test(`may be ${what}`, () => {
      assert.deepEqual(llmStreamViolations('generateContent', unnamed(chunks)), [])
    })

  for (const [what, rule, chunks] of wrong)
    await t.test(`is reported if it ${what}`, () => {
      const found = llmStreamViolations('generateContent', unnamed(chunks))
      assert.deepEqual(
        found.map((violation) => violation.rule),
        [rule],
      )
    })

  await t.test('is reported if a chunk has a name, and if it ends like another format', () => {
    const rules = (stream: string) => llmStreamViolations('generateContent', stream).map(({ rule }) => rule)
    assert.deepEqual(rules(`event: chunk\n${unnamed([stop])}`), ['name'])
    assert.deepEqual(rules(unnamed([stop, '[DONE]'])), ['framing'])
  })
})
