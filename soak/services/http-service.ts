import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'

/** A service behind the gateway. */
export interface Service {
  /** `127.0.0.1:port`. */
  readonly host: string
  close(): Promise<void>
}

/**
 * Starts a service whose path chooses what it does: `/ok`, `/flaky` (every third request fails), `/broken` (breaks off
 * in the middle of the body), `/reset`, `/events` (an endless event stream), `/large` (4 MB), `/slow`, and a WebSocket
 * echo at `/socket`.
 */
export const startHttpService = async (): Promise<Service> => {
  let requests = 0
  const server = createServer({ keepAliveTimeout: 30_000 }, (req, res) => {
    req.on('error', () => undefined).resume()
    res.on('error', () => undefined)
    const kind = (req.url ?? '').split(/[/?]/)[1] ?? ''
    const serve = Object.hasOwn(kinds, kind) ? kinds[kind] : kinds.ok
    serve?.(req, res, requests++)
  })
  server.on('upgrade', (req, socket) => {
    acceptSocket(req, socket)
  })
  return listen(server)
}

/** Listens on a free port of 127.0.0.1. */
export const listen = async (server: Server): Promise<Service> => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

type Serve = (req: IncomingMessage, res: ServerResponse, count: number) => void

const large = Buffer.alloc(64 * 1024, 'agentgateway ')
const largeParts = 64

const kinds: Readonly<Record<string, Serve>> = {
  ok: (_req, res) => void res.setHeader('content-type', 'text/plain').end('ok\n'),
  flaky: (_req, res, count) => void res.writeHead(count % 3 === 0 ? 503 : 200).end('flaky\n'),
  broken: (_req, res) => {
    res.writeHead(200, { 'content-length': 1_000_000 })
    res.write(large, () => setTimeout(() => res.destroy(), 5))
  },
  reset: (req) => void req.socket.resetAndDestroy(),
  slow: (_req, res) => {
    const timer = setTimeout(() => res.end('slow\n'), 300)
    res.once('close', () => clearTimeout(timer))
  },
  large: (_req, res) => {
    let left = largeParts
    const more = (): void => {
      while (left > 0 && !res.destroyed) {
        left--
        if (!res.write(large)) return void res.once('drain', more)
      }
      res.end()
    }
    res.writeHead(200, { 'content-length': large.length * largeParts })
    more()
  },
  events: (_req, res) => {
    res.writeHead(200, { 'content-type': 'text/event-stream' })
    const timer = setInterval(() => res.write(`data: ${Date.now()}\n\n`), 50)
    res.once('close', () => clearInterval(timer))
  },
}

/** The echo needs no library: frames of clients are short, and sent back unmasked. */
const acceptSocket = (req: IncomingMessage, socket: Duplex): void => {
  const key = req.headers['sec-websocket-key'] ?? ''
  const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64')
  socket.on('error', () => undefined)
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-accept: ${accept}\r\n\r\n`,
  )
  socket.on('data', (frame: Buffer) => {
    const opcode = (frame[0] ?? 0) & 15
    const length = (frame[1] ?? 0) & 127
    const mask = frame.subarray(2, 6)
    const payload = frame.subarray(6, 6 + length).map((byte, i) => byte ^ (mask[i % 4] ?? 0))
    socket.write(Buffer.concat([Buffer.from([0x80 | opcode, payload.length]), payload]))
    if (opcode === 8) socket.end()
  })
}
