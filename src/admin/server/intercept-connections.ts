import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Gives new connections of a server to a callback before the server reads them. Errors of the connections are ignored:
 * a client that is gone needs no reply.
 *
 * @param onConnection Gets a function that lets the server serve a socket: the connection, or what was made of it.
 */
export const interceptConnections = (
  server: Server,
  onConnection: (socket: Socket, serve: (socket: Socket) => void) => void,
): void => {
  const [listener] = server.listeners('connection')
  const serve = (socket: Socket): void => {
    listener?.call(server, socket)
  }
  server.removeAllListeners('connection')
  server.on('connection', (socket: Socket) => {
    socket.on('error', () => undefined)
    onConnection(socket, serve)
  })
}
