import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Connections that a server of the process itself holds at a time. */
const MOST = 256
/** A client that takes nothing for so long is not reading, in milliseconds. */
const STUCK_MS = 15_000

/**
 * Limits the connections of a server so that they cannot be used up: where one more comes than there may be, the oldest
 * goes on which no request is complete, or whose client does not read. What is being answered stays.
 */
export const limitConnections = (server: Server, most = MOST): void => {
  /** In the order in which they came. */
  const open = new Set<Socket>()
  /** Those with a request that is complete, and an answer that is not. */
  const pending = new Map<Socket, IncomingMessage>()

  const isIdle = (socket: Socket): boolean => !(pending.get(socket)?.complete ?? false)
  const isStuck = (socket: Socket): boolean => socket.writableLength > 0
  const evict = (): void => {
    const goes = [...open].find(isIdle) ?? [...open].find(isStuck)
    goes?.destroy()
    if (goes) open.delete(goes)
  }

  // Before anything is read of it.
  server.prependListener('connection', (socket: Socket) => {
    if (open.size >= most) evict()
    if (open.size >= most) {
      socket.destroy()
      return
    }
    open.add(socket)
    socket.on('close', () => {
      open.delete(socket)
      pending.delete(socket)
    })
  })
  server.prependListener('request', (req: IncomingMessage, res: ServerResponse) => {
    const { socket } = req
    pending.set(socket, req)
    res.once('close', () => {
      if (pending.get(socket) === req) pending.delete(socket)
    })
  })
  // An answer may be silent for as long as it likes, as a trace nobody causes is; its reader may not.
  server.setTimeout(STUCK_MS, (socket) => {
    if (isIdle(socket) || isStuck(socket)) socket.destroy()
  })
}
