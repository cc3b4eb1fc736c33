import type { Duplex } from 'node:stream'

/** How long a client may take to read the last answer and close, in milliseconds. */
const LINGER_MS = 500

/**
 * Ends a connection whose client may still be sending. Closing it at once would reset it, and the client might lose the
 * answer that tells why. So only our side is closed; the client's is read, and thrown away, for half a second more.
 */
export const linger = (stream: Duplex): void => {
  if (stream.destroyed) return
  stream.end()
  const timer = setTimeout(() => stream.destroy(), LINGER_MS)
  stream.once('close', () => clearTimeout(timer))
  stream.resume()
}
