import { type Duplex, duplexPair } from 'node:stream'
import { deny, type Reply, respond } from '../../../model/exchange/reply.ts'
import { onRequest } from '../../../pipeline/stage.ts'
import type { RequestHead } from '../../../protocols/http/request-head.ts'
import type { ClientConnection } from './client-connection.ts'
import { type ListenerMatch, matchListener, protocolNotAllowed, type ServedBind } from '../port/serve.ts'

/**
 * Two ends of a connection inside the process: bytes written to one are read from the other. Unlike those of
 * `duplexPair`, destroying one closes the other, as with sockets.
 */
export const tunnelPair = (): [outside: Duplex, inside: Duplex] => {
  const [one, other] = duplexPair()
  follow(one, other)
  follow(other, one)
  return [one, other]
}

const follow = (follower: Duplex, leader: Duplex): void => {
  leader.on('close', () => {
    // Bytes written before the end are still to be read; after a destroy there is nothing to wait for.
    if (leader.writableFinished && !follower.readableEnded) follower.once('end', () => follower.destroy())
    else follower.destroy()
  })
}

/**
 * Where a CONNECT goes, by policy: refused, through the routes like any request, or into a tunnel that ends at another
 * bind of this process, as if a connection had been accepted there.
 */
export const connectListener = (
  connection: ClientConnection,
  served: ServedBind,
  head: RequestHead,
): ListenerMatch => {
  const { resource, frontend } = served.bind
  // A bind with `tunnelProtocol: connect` accepts CONNECT without further configuration.
  const mode =
    resource.tunnelProtocol === 'connect' && frontend.connect.mode === 'deny'
      ? 'tunnel'
      : frontend.connect.mode
  if (mode === 'deny') return { ...served.unmatched, pipeline: protocolNotAllowed }
  if (mode === 'route') return matchListener(served, connection, head.host)
  return { ...served.unmatched, pipeline: onRequest('connect', () => enterTunnel(connection, head)) }
}

const enterTunnel = (connection: ClientConnection, { port, headers }: RequestHead): Reply => {
  const target = port === undefined ? undefined : connection.port.serving.tunnelTarget(port)
  if (!target) return deny(404, 'bind_not_found', { message: 'bind not found' })
  const reply = respond(200, '')
  const [outside, inside] = tunnelPair()
  reply.tunnel = outside
  inside.on('error', ignore)
  target.begin(inside, connection, headers)
  return reply
}

const ignore = (): void => undefined
