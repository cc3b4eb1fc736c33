import type { Duplex } from 'node:stream'
import type { CompiledListener } from '../../model/snapshot.ts'
import { splice } from '../../upstream/splice.ts'
import type { TcpDialler } from '../../upstream/tcp.ts'
import type { Conversation } from '../http/client-connection.ts'

/**
 * Connects a client's stream with the target that the listener's routes choose, and passes bytes both ways. A client
 * without a route, or whose target cannot be reached, is disconnected.
 *
 * @param serverName SNI, if there was a handshake to read it from.
 * @param dialler Opens connections.
 * @param idleTimeoutMs Longest time without a byte either way.
 */
export const routeRaw = (
  client: Duplex,
  listener: CompiledListener | undefined,
  serverName: string | undefined,
  dialler: Pick<TcpDialler, 'connect'>,
  idleTimeoutMs: number,
): Conversation => {
  const target = listener?.tcpTarget(serverName)
  if (!target) client.destroy()
  else {
    const giveUp = dialler.connect(target, (fault, upstream) => {
      client.off('close', giveUp)
      if (fault || !upstream) client.destroy()
      else splice(client, upstream, idleTimeoutMs, ignore)
    })
    client.on('close', giveUp)
  }
  return { retire: ignore, close: ignore, ended: ignore }
}

// A raw connection has no place where it could end without losing something: only its ends know.
const ignore = (): void => undefined
