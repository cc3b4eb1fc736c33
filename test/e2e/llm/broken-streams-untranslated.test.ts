import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { llmStreamViolations } from '../../../src/testing/llm-streams/validator.ts'
import { sendRequest } from '../../support/send-request.ts'
import { type Mocks, startMocks } from '../../support/llm/mocks.ts'
import { dialects, userMessage } from '../../support/llm/model-request.ts'

suite('a broken stream that needs no translation stays valid', () => {
  let mocks: Mocks
  before(async () => {
    mocks = await startMocks()
  })
  after(() => mocks[Symbol.asyncDispose]())

  for (const dialect of dialects)
    test(dialect, async () => {
      for (const events of [1, 2, 3]) {
        const { path, request: asked } = userMessage(
          dialect,
          'plain',
          `mock:words 4 mock:cut ${String(events)}`,
          true,
        )
        const { text } = await sendRequest(mocks.origin, path, asked)
        assert.deepEqual(llmStreamViolations(dialect, text), [], text)
        assert.match(text, /connection reset/)
      }
    })

  test('the failed response is the one that was created', async () => {
    const { path, request: asked } = userMessage('responses', 'plain', 'mock:words 4 mock:cut 3', true)
    const { text } = await sendRequest(mocks.origin, path, asked)
    const all = [...text.matchAll(/^data: (.*)$/gm)].map(
      ([, data = '']) => JSON.parse(data) as { response?: Record<string, unknown> },
    )
    const first = all[0]?.response
    const last = all.at(-1)?.response
    assert.deepEqual(last, { ...first, status: 'failed', error: last?.error })
    assert.equal(first?.status, 'in_progress')
  })
})
