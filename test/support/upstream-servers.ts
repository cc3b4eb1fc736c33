import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createRawServer, type AddressInfo, type Server, type Socket } from 'node:net'

/** A real server on 127.0.0.1 behind the gateway. */
export interface UpstreamServer extends AsyncDisposable {
  readonly port: number
  /** Open connections. */
  readonly sockets: ReadonlySet<Socket>
  /** All connections so far. */
  readonly opened: () => number
}

/** Serves HTTP/1.1. */
export const httpServer = async (answer: RequestListener): Promise<UpstreamServer> =>
  listening(createServer({ keepAliveTimeout: 60_000 }, answer))

/** Serves raw connections, for responses that no HTTP server would send. */
export const rawServer = async (accept: (socket: Socket) => void): Promise<UpstreamServer> => {
  const server = createRawServer({ allowHalfOpen: true }, (socket) => {
    socket.on('end', () => socket.end())
    socket.on('error', () => undefined)
    accept(socket)
  })
  return listening(server)
}

/** Serves raw connections: responds to every request head with the same bytes, and closes if configured. */
export const rawResponse = (bytes: string, end = false): Promise<UpstreamServer> =>
  rawServer((socket) => {
    socket.on('data', (chunk) => {
      if (!chunk.includes('\r\n\r\n')) return
      if (end) socket.end(bytes, 'latin1')
      else socket.write(bytes, 'latin1')
    })
  })

/** Starts any server, and counts its connections. */
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
