import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

/** How long a client may take to read the last reply and close, in milliseconds. */
const LINGER_MS = 500

/**
 * Ends a connection whose client may still be sending. Closing at once would reset it, and the client could lose the
 * reply that explains the error. So only the gateway's side is closed; the client's bytes are read and discarded for
 * another half second.
 */
export const linger = (stream: Duplex): void => {
  if (stream.destroyed) return
  stream.end()
  const timer = setTimeout(() => stream.destroy(), LINGER_MS)
  stream.once('close', () => clearTimeout(timer))
  stream.resume()
}

/** How a stream closes once its written bytes are flushed; tunnels have no such method. */
export const destroySoonOf = (socket: Socket): (() => void) =>
  (socket.destroySoon as typeof socket.destroySoon | undefined)?.bind(socket) ??
  (() => socket.end(() => socket.destroy()))
