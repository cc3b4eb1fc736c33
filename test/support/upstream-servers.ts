import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createRawServer, type AddressInfo, type Server, type Socket } from 'node:net'

/** A real server on 127.0.0.1 that stands behind the gateway. */
export interface UpstreamServer extends AsyncDisposable {
  readonly port: number
  /** Connections that are open now. */
  readonly sockets: ReadonlySet<Socket>
  /** Connections that were ever opened. */
  readonly opened: () => number
}

/** Serves HTTP/1.1. */
export const httpServer = async (answer: RequestListener): Promise<UpstreamServer> =>
  listening(createServer({ keepAliveTimeout: 60_000 }, answer))

/** Serves raw connections, for answers that no HTTP server would give. */
export const rawServer = async (accept: (socket: Socket) => void): Promise<UpstreamServer> => {
  const server = createRawServer({ allowHalfOpen: true }, (socket) => {
    socket.on('end', () => socket.end())
    socket.on('error', () => undefined)
    accept(socket)
  })
  return listening(server)
}

/** Serves raw connections: answers every request head with the same bytes, and closes if told so. */
export const rawAnswer = (bytes: string, end = false): Promise<UpstreamServer> =>
  rawServer((socket) => {
    socket.on('data', (chunk) => {
      if (!chunk.includes('\r\n\r\n')) return
      if (end) socket.end(bytes, 'latin1')
      else socket.write(bytes, 'latin1')
    })
  })

/** Makes any server listen, and counts its connections. */
export const listening = async (server: Server): Promise<UpstreamServer> => {
  const sockets = new Set<Socket>()
  let opened = 0
  server.on('connection', (socket: Socket) => {
    opened++
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    sockets,
    opened: () => opened,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
