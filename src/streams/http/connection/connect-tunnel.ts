import { deny, respond, type Reply } from '../../model/reply.ts'
import { onRequest } from '../../pipeline/stage.ts'
import type { RequestHead } from '../../protocols/http/request-head.ts'
import type { ClientConnection } from './client-connection.ts'
import { type Doorway, doorwayOf, notAllowed, type Served } from './serve.ts'
import { tunnelPair } from './tunnel-pair.ts'

/**
 * Where a CONNECT goes, by policy: nowhere, through the routes like any request, or into a tunnel that ends at another
 * bind of this process, as if a connection had been accepted there.
 */
export const connectDoorway = (connection: ClientConnection, served: Served, head: RequestHead): Doorway => {
  const { labels, resource, frontend } = served.bind
  // A bind that is there for CONNECT does not need to be told to accept it.
  const mode =
    resource.tunnelProtocol === 'connect' && frontend.connect.mode === 'deny'
      ? 'tunnel'
      : frontend.connect.mode
  if (mode === 'deny') return { labels, pipeline: notAllowed }
  if (mode === 'route') return doorwayOf(served, connection, head.host)
  return { labels, pipeline: onRequest('connect', () => enterTunnel(connection, head)) }
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
