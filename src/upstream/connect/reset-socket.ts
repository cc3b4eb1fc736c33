import type { Socket } from 'node:net'

/**
 * Ends a connection in a way that its peer cannot take for the end of what it gets.
 *
 * One whose end is on its way just closes: everything has been written before it, and Node would lose hold of a socket
 * that is reset just then. It would never close, and its peer's end would keep the process busy.
 */
export const resetSocket = (socket: Socket): void => {
  const isEnding = socket.writableEnded && !socket.writableFinished && socket.writableLength === 0
  if (isEnding) socket.destroy()
  else socket.resetAndDestroy()
}
