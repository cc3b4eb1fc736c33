import type { Duplex } from 'node:stream'

/** Looks per grace period. */
const LOOKS = 4

/**
 * Serves a client that closed its sending side for as long as it gets something: once no byte has been written for
 * `graceMs` it counts as gone, and the stream is destroyed. A client that only half-closed and one that left altogether
 * look the same until something is written to them.
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
