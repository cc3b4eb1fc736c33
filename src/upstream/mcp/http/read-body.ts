import type { Body } from '../../../model/exchange/body.ts'

/** How collecting ended: complete, at the limit, at the timeout, or because the body failed. */
export type Collected = 'whole' | 'long' | 'late' | 'cut'

/**
 * Collects the first `limitBytes` of a body and calls `done` once. Unless it is complete, bytes may still arrive: the
 * caller has to cancel the request.
 */
export const collectBody = (
  body: Body,
  limitBytes: number,
  done: (bytes: Buffer, how: Collected, fault?: unknown) => void,
  withinMs?: number,
): void => {
  const chunks: Uint8Array[] = []
  let sizeBytes = 0
  let isDone = false
  const finish = (how: Collected, fault?: unknown) => {
    if (isDone) return
    isDone = true
    clearTimeout(timer)
    done(Buffer.concat(chunks, sizeBytes), how, fault)
  }
  const timer = withinMs === undefined ? undefined : setTimeout(finish, withinMs, 'late').unref()
  body.pipe({
    write: (chunk) => {
      if (isDone) return true
      const kept = chunk.subarray(0, limitBytes - sizeBytes)
      chunks.push(kept)
      sizeBytes += kept.length
      if (kept.length < chunk.length) finish('long')
      return true
    },
    end: () => finish('whole'),
    fail: (fault) => finish('cut', fault),
    onDrain: () => undefined,
  })
}
