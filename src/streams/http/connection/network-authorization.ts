import { RawSession } from '../../model/raw-session.ts'
import type { ClientConnection } from './client-connection.ts'

/**
 * Asks the rules about a connection, once, and closes it if they refuse: before a TLS handshake if they need nothing that
 * it tells, so that strangers cannot make the gateway do the work of one, else as soon as it is over.
 *
 * @param isTold Whether everything that there is to know of the connection is known.
 * @param serverName The name asked for in the handshake, if there was one.
 * @returns Whether it was closed.
 */
export const refuseConnection = (
  connection: ClientConnection,
  isTold: boolean,
  serverName?: string,
): boolean => {
  const { rules, port, stream } = connection
  if (!rules || rules.beforeTls === isTold || rules.admit(connection, serverName)) return false
  const { snapshot, bind, only } = port.served
  const listener = connection.listener ?? only
  const session = new RawSession(connection, snapshot, listener?.labels ?? bind.labels, serverName)
  session.reason = 'Authorization'
  session.code = 'network_authorization_failed'
  session.error = 'authorization failed'
  session.endedAt = performance.now()
  port.serving.gate.rawEnded?.(session)
  stream.destroy()
  return true
}
