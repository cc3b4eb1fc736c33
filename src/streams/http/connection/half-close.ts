import type { Duplex } from 'node:stream'

/** Checks per grace period. */
const LOOKS = 4

/**
 * Keeps serving a client that closed its sending side while bytes still reach it: once no byte has been written for
 * `graceMs` the stream is destroyed. A half-closed client and one that is gone look the same until something is
 * written.
 */
export const destroyWhenStill = (
  stream: Duplex & { readonly bytesWritten?: number },
  graceMs: number,
): void => {
  let written = stream.bytesWritten
  // A tunnel inside another connection does not count; that connection is watched itself.
  if (written === undefined) return
  let stillLooks = 0
  const timer = setInterval(
    () => {
      if (stream.bytesWritten !== written) stillLooks = 0
      else if (++stillLooks >= LOOKS) stream.destroy()
      written = stream.bytesWritten
    },
    Math.max(1, graceMs / LOOKS),
  )
  stream.once('close', () => clearInterval(timer))
}
