import type { Duplex } from 'node:stream'
import { breakOff } from './reset-socket.ts'

/**
 * Passes bytes both ways between two open streams until both directions have ended. A full side pauses the other, an
 * ended side ends only the other's writing (half-close), a broken one breaks the other.
 *
 * @param idleTimeoutMs Longest time without a byte either way; 0 is unlimited.
 * @param done Called once when both are closed, with a reason if it did not end by itself.
 * @returns Breaks both sides off, with a reason for `done`.
 */
export const splice = (
  client: Duplex,
  upstream: Duplex,
  idleTimeoutMs: number,
  done: (cutShort: string | undefined) => void,
): ((reason: string) => void) => {
  let open = 2
  let cutShort: string | undefined
  let stirred = true
  const timer =
    idleTimeoutMs > 0
      ? setInterval(() => {
          if (!stirred) cut('idle for too long')
          stirred = false
        }, idleTimeoutMs)
      : undefined
  const stir = () => {
    stirred = true
  }
  const cut = (reason: string) => {
    cutShort ??= reason
    breakOff(client)
    breakOff(upstream)
  }
  const watch = (from: Duplex, to: Duplex, name: string) => {
    from.on('error', () => cut(`${name} connection failed`))
    from.on('close', () => {
      // A side that closed before it ended its stream was cut short.
      if (!from.readableEnded) cut(`${name} left`)
      // Further bytes of the other side have no reader.
      else closeSoon(to)
      if (--open > 0) return
      clearInterval(timer)
      done(cutShort)
    })
    if (timer) from.on('data', stir)
    if (from.destroyed) from.emit('close')
    else from.pipe(to)
  }
  watch(client, upstream, 'client')
  watch(upstream, client, 'upstream')
  return cut
}

/** Closes a stream once its written bytes are flushed. */
const closeSoon = (stream: Duplex & { destroySoon?: () => void }): void => {
  if (stream.destroySoon) stream.destroySoon()
  else stream.end(() => stream.destroy())
}
