import type { CompiledListener } from '../../model/resources/snapshot.ts'
import type { ServedBind, ServedConnection } from '../../streams/http/port/serve.ts'
import type { DryRequest } from './dry-request.ts'

/** Why a connection would be closed before a request of it is read. */
export interface ClosedConnection {
  readonly closed: string
}

/** The client's connection, as the port would accept it. */
export const dryConnection = (
  served: ServedBind,
  { serverName, clientAddress = '127.0.0.1' }: DryRequest,
): ServedConnection | ClosedConnection => {
  const { resource, connections } = served.bind
  const listener = serverName === undefined ? undefined : served.listeners.encrypted(serverName)
  const problem = problemOf(served, serverName, listener)
  if (problem !== undefined) return { closed: problem }
  const connection: ServedConnection = {
    sourceAddress: clientAddress,
    sourcePort: 50_000,
    rawAddress: clientAddress,
    rawPort: 50_000,
    destinationAddress: ['::', '0.0.0.0'].includes(resource.address) ? '127.0.0.1' : resource.address,
    destinationPort: resource.port ?? 0,
    tls:
      serverName === undefined
        ? undefined
        : { serverName, alpn: 'http/1.1', version: 'TLSv1.3', client: undefined },
    connectHeaders: undefined,
    listener,
    driver: undefined,
  }
  if (connections && !connections.admit(connection, serverName))
    return { closed: 'networkAuthorization refuses the connection' }
  return connection
}

const problemOf = (
  { bind, listeners }: ServedBind,
  serverName: string | undefined,
  listener: CompiledListener | undefined,
): string | undefined => {
  if (bind.resource.protocol === 'tcp')
    return 'the port proxies TCP connections as they are, by its tcpRoutes'
  if (bind.resource.protocol === 'udp') return 'the port is for datagrams, by its udpRoutes'
  if (serverName === undefined)
    return listeners.hasCleartext
      ? undefined
      : 'every listener of the port expects TLS, and this is cleartext'
  if (!listeners.hasEncrypted) return 'no listener of the port terminates TLS'
  if (!listener) return `the TLS handshake fails: no listener is for the name ${serverName}`
  const { invalid } = listener.resource.tls ?? {}
  if (invalid !== undefined)
    return `the TLS handshake fails: listener ${listener.resource.key} is marked as invalid: ${invalid}`
  return listener.resource.protocol === 'TLS'
    ? `listener ${listener.resource.key} proxies TLS connections as they are, by its tcpRoutes`
    : undefined
}
