import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2'
import type { Socket } from 'node:net'
import { makeAuthority } from './certificates.ts'
import { rawServer, type UpstreamServer } from './upstream-servers.ts'

using authority = makeAuthority('ec')
const certificate = authority.issue('up.test')

/** A server whose TLS handshakes do not begin until they are released. */
export interface DelayedServer extends UpstreamServer {
  release(): void
}

/**
 * Serves HTTP/2 and HTTP/1.1 over TLS: replies with its name, the method and the body.
 *
 * @param onRequest Called with method and body.
 */
export const delayedServer = async (
  name = 'held',
  onRequest: (line: string) => void = () => undefined,
): Promise<DelayedServer> => {
  const { cert, key } = certificate
  const echo = (req: Http2ServerRequest, res: Http2ServerResponse) => {
    let line = `${req.method} `
    req.on('data', (chunk: Buffer) => (line += chunk.toString()))
    req.on('end', () => {
      onRequest(line)
      res.end(`${name} ${line}`)
    })
  }
  const secure = createSecureServer({ cert, key, allowHTTP1: true }, echo)
  const waiting: Socket[] = []
  let isDelayed = true
  const server = await rawServer((socket) => {
    if (isDelayed) waiting.push(socket)
    else secure.emit('connection', socket)
  })
  return {
    ...server,
    release() {
      isDelayed = false
      for (const socket of waiting) secure.emit('connection', socket)
    },
  }
}

/** The same, released. */
export const openServer = async (...options: Parameters<typeof delayedServer>): Promise<UpstreamServer> => {
  const server = await delayedServer(...options)
  server.release()
  return server
}

/** Accepts connections, and nothing more: no TLS handshake is answered. */
export const silentServer = (): Promise<UpstreamServer> => rawServer((socket) => socket.resume())
