import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { readProxyHeader } from '../protocols/proxy-protocol/read-proxy-header.ts'
import { type Recognised, readFirstBytes } from '../streams/http/connection/peek-bytes.ts'

/** Timeout for the first bytes of a connection. */
const timeoutMs = 2_000

/**
 * Accepts and skips a PROXY protocol header at the start of connections: some load balancers send it with health
 * checks. A malformed header closes the connection.
 */
export const acceptProxyHeader = (server: Server): void => {
  const [serve] = server.listeners('connection')
  server.removeAllListeners('connection')
  server.on('connection', (socket: Socket) => {
    socket.on('error', () => undefined)
    readFirstBytes(socket, afterHeader, timeoutMs, (isSound) => {
      if (isSound) serve?.call(server, socket)
      else socket.destroy()
    })
  })
}

const afterHeader = (bytes: Buffer): Recognised<boolean> | undefined => {
  const reading = readProxyHeader(bytes)
  if (reading.kind === 'more') return undefined
  if (reading.kind === 'invalid') return { value: false, taken: 0 }
  return { value: true, taken: reading.kind === 'absent' ? 0 : reading.header.headerLength }
}
