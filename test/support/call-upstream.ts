import type { Exchange } from '../../src/model/exchange/exchange.ts'
import type { HttpUpstream } from '../../src/upstream/upstream.ts'
import { UpstreamRecorder } from './upstream-recorder.ts'

/** Calls an upstream as the backend operator does, and reads the response. */
export const callUpstream = async (
  upstream: HttpUpstream,
  x: Exchange,
): Promise<{ readonly response: UpstreamRecorder; readonly text: string }> => {
  const response = beginCall(upstream, x)
  await response.responded
  const text = response.body ? String(await response.body.read(1_000_000)) : ''
  await response.done
  return { response, text }
}

/** Calls an upstream, and leaves its response to the test. */
export const beginCall = (
  upstream: HttpUpstream,
  x: Exchange,
  atMs: number = performance.now(),
): UpstreamRecorder => {
  const response = new UpstreamRecorder()
  x.upstream.attempts++
  x.upstream.startedAt = atMs
  upstream.call(x, response)
  return response
}
