import type { Exchange } from '../../src/model/exchange/exchange.ts'
import type { HttpUpstream } from '../../src/upstream/upstream.ts'
import { AnswerRecorder } from './answer-recorder.ts'

/** Calls an upstream as the backend operator does, and reads the response. */
export const called = async (
  upstream: HttpUpstream,
  x: Exchange,
): Promise<{ readonly answer: AnswerRecorder; readonly text: string }> => {
  const answer = begun(upstream, x)
  await answer.answered
  const text = answer.body ? String(await answer.body.read(1_000_000)) : ''
  await answer.done
  return { answer, text }
}

/** Calls an upstream, and leaves its response to the test. */
export const begun = (
  upstream: HttpUpstream,
  x: Exchange,
  atMs: number = performance.now(),
): AnswerRecorder => {
  const answer = new AnswerRecorder()
  x.upstream.attempts++
  x.upstream.startedAt = atMs
  upstream.call(x, answer)
  return answer
}
