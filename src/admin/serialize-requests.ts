import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Maximum number of queued requests of a connection. Pipelining is rare, and never deeper on these servers. */
const MOST = 100

/**
 * Handles the requests of each connection one at a time: the next one begins once the system has taken all of the
 * previous reply, and then in a later turn of the event loop. A client that pipelines and does not read costs one
 * reply. A connection with too many queued requests is closed, because Node keeps reading while nothing is written.
 */
export const oneAtATime = (handler: RequestListener): RequestListener => {
  /** Queued requests of the connections that have an active one. */
  const waiting = new WeakMap<Socket, [IncomingMessage, ServerResponse][]>()

  const begin = (req: IncomingMessage, res: ServerResponse): void => {
    const { socket } = req
    res.once('close', () => setImmediate(() => release(socket)))
    handler(req, res)
  }
  const release = (socket: Socket): void => {
    const next = socket.destroyed ? undefined : waiting.get(socket)?.shift()
    if (next) begin(...next)
    else waiting.delete(socket)
  }
  return (req, res) => {
    const { socket } = req
    const queue = waiting.get(socket)
    if (!queue) {
      waiting.set(socket, [])
      begin(req, res)
    } else if (queue.length < MOST) queue.push([req, res])
    else socket.destroy()
  }
}
