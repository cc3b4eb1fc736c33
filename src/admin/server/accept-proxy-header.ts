import type { Server } from 'node:http'
import { readProxyHeader } from '../../protocols/proxy-protocol/read-proxy-header.ts'
import { type Recognised, readFirstBytes } from '../../streams/http/connection/peek-bytes.ts'
import { interceptConnections } from './intercept-connections.ts'

/**
 * Accepts and skips a PROXY protocol header at the start of connections: some load balancers send it with health
 * checks. A malformed header closes the connection.
 */
export const acceptProxyHeader = (server: Server): void => {
  interceptConnections(server, (socket, serve) => {
    readFirstBytes(socket, afterHeader, FIRST_BYTES_TIMEOUT_MS, (isSound) => {
      if (isSound) serve(socket)
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

/** Timeout for the first bytes of a connection. */
const FIRST_BYTES_TIMEOUT_MS = 2_000
