import assert from 'node:assert/strict'
import { llmStreamViolations } from '../../../src/testing/llm-streams/validator.ts'
import { sendRequest } from '../send-request.ts'
import { userMessage } from './model-request.ts'

/**
 * Runs a function beside a well-behaved client of the model `mock`, whose stream lasts as long: it must arrive
 * complete. Afterwards the gateway must still serve requests.
 */
export const besideNeighbour = async <T>(origin: string, run: () => Promise<T>): Promise<T> => {
  const words = 30
  const stream = userMessage('completions', 'mock', `mock:words ${String(words)} mock:chunk-delay 5ms`, true)
  const neighbour = sendRequest(origin, stream.path, {
    ...stream.request,
    signal: AbortSignal.timeout(300_000),
  })
  const [result, { status, text }] = await Promise.all([run(), neighbour])
  assert.equal(status, 200)
  assert.deepEqual(llmStreamViolations('completions', text), [])
  assert.ok(text.split('"content"').length > words, 'the neighbour lacks words')
  const { path, request: asked } = userMessage('completions', 'mock', 'mock:say Still here.')
  assert.match((await sendRequest(origin, path, asked)).text, /Still here\./)
  return result
}
