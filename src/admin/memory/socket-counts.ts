import type { ActivePort } from '../../streams/http/port/ports.ts'
import {
  addSockets,
  noSockets,
  upstreamClients,
  type UpstreamSockets,
} from '../../upstream/upstream-clients.ts'
import { initialMembers } from '../initial-members.ts'

/** Clients' connections by protocol; `detecting` have not sent enough to detect it. Of `udp` the sessions. */
export type DownstreamSockets = Readonly<
  Record<'http' | 'https' | 'tcp' | 'tls' | 'udp' | 'detecting', number>
>

/** Counts clients' connections; a step for each. */
export function* downstreamSockets(ports: readonly ActivePort[]): Generator<undefined, DownstreamSockets> {
  const counts = { http: 0, https: 0, tcp: 0, tls: 0, udp: 0, detecting: 0 }
  for (const { connections, transport, raw } of ports) {
    if (transport === 'udp') counts.udp += raw.size
    for (const { labels } of initialMembers(connections)) {
      counts[labels?.protocol ?? 'detecting']++
      yield undefined
    }
  }
  return counts
}

/** Counts the connections to upstreams, and the clients that have them; a step for each. */
export function* upstreamSockets(): Generator<
  undefined,
  { readonly sockets: UpstreamSockets; readonly clients: { readonly http: number; readonly grpc: number } }
> {
  let sockets = noSockets
  const clients = { http: 0, grpc: 0 }
  for (const client of initialMembers(upstreamClients)) {
    clients[client.kind]++
    sockets = addSockets(sockets, yield* client.sockets())
    yield undefined
  }
  return { sockets, clients }
}
