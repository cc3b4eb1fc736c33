import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

/**
 * Resets a connection, so that the other end cannot take the close for the end of the data.
 *
 * A socket whose FIN is on its way just closes: everything has been written before it, and Node would lose track of a
 * socket that is reset just then. It would never close, and the other end would keep the process busy.
 */
export const resetSocket = (socket: Socket): void => {
  const isEnding = socket.writableEnded && !socket.writableFinished && socket.writableLength === 0
  if (isEnding) socket.destroy()
  else socket.resetAndDestroy()
}

/** Ends a stream so that the other end cannot take its data for complete. */
export const breakOff = (stream: Duplex): void => {
  // TLS distinguishes an orderly end by itself.
  if (isPlainSocket(stream)) resetSocket(stream)
  else stream.destroy()
}

const isPlainSocket = (stream: Duplex): stream is Socket => stream.constructor === Socket
