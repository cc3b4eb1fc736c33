import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { resetSocket } from './reset-socket.ts'

/**
 * Passes bytes both ways between two open streams until both directions have ended. A full side makes the other wait,
 * an ended side ends the other's writing only (half-close), a broken one takes the other with it.
 *
 * @param idleTimeoutMs Longest time without a byte either way; 0 is for ever.
 * @param done Called once when both are closed, with a reason if it did not end by itself.
 * @returns Breaks both sides off, for a reason that `done` is then told.
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
      // A side that closed before it said it had finished cannot have been understood to the end.
      if (!from.readableEnded) cut(`${name} left`)
      // Whatever the other side still says, there is nobody to hear it.
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

/** Ends a stream so that its peer cannot take what it got for everything. */
const breakOff = (stream: Duplex): void => {
  // TLS says by itself whether it ended in order.
  if (isPlainSocket(stream)) resetSocket(stream)
  else stream.destroy()
}

const isPlainSocket = (stream: Duplex): stream is Socket => stream.constructor === Socket

/** Closes a stream once what was written to it is out. */
const closeSoon = (stream: Duplex & { destroySoon?: () => void }): void => {
  if (stream.destroySoon) stream.destroySoon()
  else stream.end(() => stream.destroy())
}
