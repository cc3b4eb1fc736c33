import type { Server } from 'node:http'
import type { TlsServer } from '../../model/resources/tls-server.ts'
import { TlsTerminator } from '../../streams/http/tls/terminator.ts'
import { interceptConnections } from './intercept-connections.ts'

/** Timeout of a handshake. */
const HANDSHAKE_MS = 3_000

/**
 * Makes servers terminate TLS. Certificate files that have changed are read at the next connection; the old ones stay
 * in use while the new ones are invalid.
 *
 * @throws The system's error if the files cannot be read, or OpenSSL's if they do not match.
 */
export const acceptTls = (
  settings: TlsServer,
  onError: (error: unknown) => void,
): ((server: Server) => void) => {
  const terminator = new TlsTerminator(settings, { alpn: ['http/1.1'], handshakeTimeoutMs: HANDSHAKE_MS })
  return (server) => {
    interceptConnections(server, (socket, serve) => {
      try {
        terminator.reload()
      } catch (error) {
        onError(error)
      }
      terminator.secure(socket, (secured) => {
        secured?.on('error', () => undefined)
        if (secured) serve(secured)
      })
    })
  }
}
