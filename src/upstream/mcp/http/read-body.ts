import type { Body } from '../../model/body.ts'

/** How collecting ended: with all of it, at the limit, when time was up, or because the bytes broke off. */
export type Collected = 'whole' | 'long' | 'late' | 'cut'

/**
 * Collects the first `limitBytes` of a body and calls `done` once. Unless it got the whole, bytes may still be coming:
 * it is for the caller to take the request back.
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
