import { Fault } from '../../model/exchange/fault.ts'
import type { ResourceLookup } from '../../model/resources/resource-index.ts'
import type { TcpBackend, TcpRoute } from '../../model/resources/resources.ts'
import { servicePort } from '../../model/resources/service.ts'
import type { Connection } from '../../model/exchange/connection.ts'
import type { CompiledListener, RouteLabels, TcpDeadEnd, TcpTarget } from '../../model/resources/snapshot.ts'
import type { ProxyAddress, Tunnel } from '../../upstream/backend-tunnel/schema.ts'
import { clientEndpoints } from '../../upstream/load-balancing/affinity/client-endpoints.ts'
import { ConnectionAffinity } from '../../upstream/load-balancing/affinity/connection-affinity.ts'
import { SmoothWeights } from '../../upstream/load-balancing/smooth-weights.ts'
import { noEndpoint } from '../../upstream/faults.ts'
import { proxyAddress } from '../../upstream/connect/proxy-address.ts'
import type { CompileContext } from './compile-context.ts'
import { dynamicTarget } from './tcp-dynamic-backend.ts'
import { type RankedEndpoint, serviceEndpoints } from '../../upstream/load-balancing/service-endpoints.ts'

/** The destination of a connection, or the reason why there is none. */
type Pick = (connection: Connection, serverName: string | undefined) => TcpTarget | TcpDeadEnd

/** A compiled TCP route. */
export interface CompiledTcpRoute {
  readonly route: TcpRoute
  readonly pick: Pick
}

/**
 * Selects the destination of a raw connection: by server name, exact first, then the longest wildcard; then by
 * weight.
 */
export const tcpTargets =
  (routes: readonly CompiledTcpRoute[]): CompiledListener['tcpTarget'] =>
  (serverName, connection) => {
    let best: { specificity: number; pick: Pick } | undefined
    for (const { route, pick } of routes) {
      const specificity = fit(route.hostnames, serverName)
      if (specificity > (best?.specificity ?? 0)) best = { specificity, pick }
    }
    return best?.pick(connection, serverName)
  }

/** 0: no match. 1: a route for every name. Higher: a more specific name. */
const fit = (hostnames: readonly string[], serverName: string | undefined): number => {
  if (hostnames.length === 0) return 1
  if (serverName === undefined) return 0
  return Math.max(
    ...hostnames.map((hostname) => {
      if (hostname === serverName) return Infinity
      return hostname.startsWith('*.') && serverName.endsWith(hostname.slice(1)) ? hostname.length + 1 : 0
    }),
  )
}

/** The listener of a TCP route. */
export interface TcpRouteListener {
  readonly labels: RouteLabels
  /** Clients speak TLS with the backend: TLS that is a policy of the backend is for connections that are not encrypted. */
  readonly isPassthrough: boolean
}

/** Compiles a TCP route. */
export const compileTcpRoute = (
  route: TcpRoute,
  { labels: listener, isPassthrough }: TcpRouteListener,
  context: CompileContext,
): CompiledTcpRoute => {
  const labels = { ...listener, route: `${route.namespace}/${route.name}`, routeRule: route.ruleName }
  const choices = route.backends.flatMap((choice) =>
    choice.weight > 0
      ? [{ weight: choice.weight, pick: destination(choice, { labels, isPassthrough }, context) }]
      : [],
  )
  const turns = new SmoothWeights()
  const pick: Pick = (connection, serverName) =>
    turns.pick(choices, ({ weight }) => weight)?.pick(connection, serverName) ?? { labels, fault: noBackends }
  return { route, pick }
}

const destination = (
  { target, tls, tunnel }: TcpBackend,
  listener: TcpRouteListener,
  context: CompileContext,
): Pick => {
  const { labels, isPassthrough } = listener
  const { lookup, resources } = context
  if (target.kind === 'service')
    return serviceTarget(target.name, target.port, { tls, tunnel }, listener, context)
  const backend = target.kind === 'backend' ? lookup.backend(target.key) : undefined
  if (backend?.spec.type !== 'static' && backend?.spec.type !== 'dynamic')
    return () => ({ labels, fault: missingTarget })
  const { key: name, spec, policies } = backend
  const found = {
    labels,
    backend: { name, type: spec.type, protocol: 'tcp' },
    tls: tls ?? (isPassthrough ? undefined : policies.backendTLS),
    proxy: proxyOf(tunnel ?? policies.backendTunnel, lookup),
  } as const
  if (spec.type === 'dynamic') return dynamicTarget(spec, found, resources.functions)
  const tcpTarget: TcpTarget = { ...found, target: spec.target }
  return () => tcpTarget
}

/** Tries the addresses in turn, that of the client first and the others in random order, until one accepts. */
const serviceTarget = (
  name: string,
  port: number,
  { tls, tunnel }: { readonly tls: TcpBackend['tls']; readonly tunnel: TcpBackend['tunnel'] },
  { labels, isPassthrough }: TcpRouteListener,
  { session, lookup, random }: CompileContext,
): Pick => {
  const service = lookup.service(name)
  if (!service) return () => ({ labels, fault: missingTarget })
  const endpoints = serviceEndpoints(service, port, lookup)
  const attached = service.portPolicies?.[port] ?? service.policies
  const found: TcpTarget = {
    labels,
    backend: { name, type: 'service', protocol: 'tcp' },
    target: { host: service.hostname, port },
    tls: tls ?? (isPassthrough ? undefined : attached?.backendTLS),
    proxy: proxyOf(tunnel ?? attached?.backendTunnel, lookup),
  }
  const clients = clientEndpoints(service, servicePort(port, 'tcp'), (key, make) => session.keep(key, make))
  const affinity = clients && new ConnectionAffinity(clients, endpoints)
  return ({ sourceAddress: client }) => {
    if (endpoints.length === 0) return { labels, fault: noEndpoint() }
    const first = affinity?.endpointOf(client)
    const order = shuffled(endpoints, random)
    const target = { ...found, addresses: addressesOf(first ? [first, ...without(order, first)] : order) }
    return first ? { ...target, onConnected: (address) => affinity?.reached(client, address) } : target
  }
}

const addressesOf = (endpoints: readonly RankedEndpoint[]): NonNullable<TcpTarget['addresses']> =>
  endpoints.map(({ address }) => address)

const without = (endpoints: readonly RankedEndpoint[], one: RankedEndpoint): RankedEndpoint[] =>
  endpoints.filter((other) => other !== one)

/** In random order by their weights, those of a lower priority number first. */
const shuffled = (endpoints: readonly RankedEndpoint[], random: () => number): RankedEndpoint[] =>
  endpoints
    // Exponential draws: the smallest is each one as often as its weight demands, and so is the next one.
    .map((endpoint) => ({ endpoint, draw: -Math.log(1 - random()) / endpoint.weight }))
    .sort((a, b) => a.endpoint.priority - b.endpoint.priority || a.draw - b.draw)
    .map(({ endpoint }) => endpoint)

const proxyOf = (tunnel: Tunnel | undefined, lookup: ResourceLookup): ProxyAddress | undefined =>
  tunnel && proxyAddress(tunnel, lookup)

/** The fault of a route without backends. */
export const noBackends = new Fault('no_valid_backends', 'no valid backends', { reason: 'NoHealthyBackend' })
/** The fault of a reference that leads nowhere. */
export const missingTarget = new Fault('backend_missing', 'backend does not exist')
