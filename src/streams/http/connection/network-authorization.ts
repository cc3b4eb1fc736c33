import { TcpSession } from '../../../model/exchange/tcp-connection.ts'
import type { ClientConnection } from './client-connection.ts'

/**
 * Applies the network authorization rules to a connection, once, and closes it if they refuse. Rules that need nothing
 * of the TLS handshake run before it, so that refused clients cost no handshake; others right after it.
 *
 * @param isComplete Whether all attributes of the connection are known.
 * @param serverName The SNI, if there was a handshake.
 * @returns Whether the connection was closed.
 */
export const refuseConnection = (
  connection: ClientConnection,
  isComplete: boolean,
  serverName?: string,
): boolean => {
  const { rules, port, stream } = connection
  if (!rules || rules.beforeTls === isComplete || rules.admit(connection, serverName)) return false
  const { snapshot, bind, only } = port.served
  const listener = connection.listener ?? only
  const session = new TcpSession(connection, snapshot, listener?.labels ?? bind.labels, serverName)
  session.reason = 'Authorization'
  session.code = 'network_authorization_failed'
  session.error = 'authorization failed'
  session.endedAt = performance.now()
  port.serving.hooks.rawEnded?.(session)
  stream.destroy()
  return true
}
