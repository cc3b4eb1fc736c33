import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Maximum number of connections of an admin server. */
const MOST = 256
/** Milliseconds without progress after which a client counts as not reading. */
const STUCK_MS = 15_000

/**
 * Limits the connections of a server so that they cannot be exhausted: beyond the limit it closes the oldest connection
 * without a complete request, or whose client does not read. Active responses continue.
 */
export const limitConnections = (server: Server, most = MOST): void => {
  /** In order of arrival. */
  const open = new Set<Socket>()
  /** Connections with a complete request and an incomplete response. */
  const pending = new Map<Socket, IncomingMessage>()

  const isIdle = (socket: Socket): boolean => !(pending.get(socket)?.complete ?? false)
  const isStuck = (socket: Socket): boolean => socket.writableLength > 0
  const evict = (): void => {
    const goes = [...open].find(isIdle) ?? [...open].find(isStuck)
    goes?.destroy()
    if (goes) open.delete(goes)
  }

  // Runs before anything is read of the connection.
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
    const socket = connectionOf(req.socket)
    pending.set(socket, req)
    res.once('close', () => {
      if (pending.get(socket) === req) pending.delete(socket)
    })
  })
  // A response may be silent for any time, as a trace without traffic is; its client must read.
  server.setTimeout(STUCK_MS, (socket) => {
    if (isIdle(connectionOf(socket)) || isStuck(socket)) socket.destroy()
  })
}

/** The connection itself: with TLS, the socket of a request is the decrypted stream over it. */
const connectionOf = (socket: Socket): Socket => (socket as { readonly _parent?: Socket })._parent ?? socket
