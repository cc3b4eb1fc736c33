import type { Bind, Listener, Route, TcpRoute, WeightedBackend } from '../../model/resources.ts'
import { lateByKey } from '../../model/late-parts.ts'
import { shownFields, shownPolicies } from './value.ts'
import type { Hiding, Shown } from './value.ts'

/** A bind with its listeners and their routes, by key. */
export function dumpBind(bind: Bind, hiding: Hiding): Shown {
  const { key, protocol, tunnelProtocol, mode, listeners } = bind
  return {
    key,
    address: socketAddress(bind),
    protocol,
    tunnelProtocol,
    mode,
    listeners: lateByKey(listeners, (listener) => dumpListener(listener, hiding)),
  }
}

/** An HTTP route as dumps show it. */
export function dumpRoute(route: Route, hiding: Hiding): Shown {
  const { key, name, namespace, ruleName, hostnames, matches, backends, policies } = route
  return {
    key,
    name,
    namespace,
    ...(ruleName === undefined ? {} : { ruleName }),
    ...(hostnames.length === 0 ? {} : { hostnames }),
    matches: matches.map((match) => shownFields(match, hiding)),
    ...(backends.length === 0
      ? {}
      : { backends: backends.map((backend) => dumpRouteBackend(backend, hiding)) }),
    ...shownPolicies(policies, hiding),
  }
}

function dumpListener(listener: Listener, hiding: Hiding): Shown {
  const { key, gatewayName, gatewayNamespace, listenerName, hostname, routes, tcpRoutes, policies } = listener
  return {
    key,
    gatewayName,
    gatewayNamespace,
    listenerName,
    // Listeners of the newer form say `*` where the older ones say nothing.
    hostname: hostname === '' && key.startsWith('gateway/') ? '*' : hostname,
    protocol: listenerProtocol(listener, hiding),
    ...(routes.length === 0 ? {} : { routes: lateByKey(routes, (route) => dumpRoute(route, hiding)) }),
    ...(tcpRoutes.length === 0
      ? {}
      : { tcpRoutes: lateByKey(tcpRoutes, (route) => dumpTcpRoute(route, hiding)) }),
    ...shownPolicies(policies, hiding),
  }
}

function listenerProtocol({ protocol, tls }: Listener, hiding: Hiding): unknown {
  if (protocol === 'HTTP' || protocol === 'TCP') return protocol
  if (tls === undefined) return { [protocol]: null }
  const { certFile, keyFile, clientCaFile, ...rest } = tls
  const files = {
    cert: certFile,
    key: keyFile,
    ...(clientCaFile === undefined ? {} : { root: clientCaFile }),
  }
  return { [protocol]: { certificateSource: { static: files }, ...shownFields(rest, hiding) } }
}

function dumpTcpRoute(
  { key, name, namespace, ruleName, hostnames, backends }: TcpRoute,
  hiding: Hiding,
): Shown {
  return {
    key,
    name,
    namespace,
    ...(ruleName === undefined ? {} : { ruleName }),
    ...(hostnames.length === 0 ? {} : { hostnames }),
    backends: backends.map(({ weight, target, tls, tunnel }) => ({
      weight,
      ...targetOf(target),
      ...shownPolicies(
        {
          ...(tls === undefined ? {} : { backendTLS: tls }),
          ...(tunnel === undefined ? {} : { backendTunnel: tunnel }),
        },
        hiding,
      ),
    })),
  }
}

function dumpRouteBackend({ weight, target, policies }: WeightedBackend, hiding: Hiding): Shown {
  return { weight, ...targetOf(target), ...shownPolicies(policies, hiding) }
}

function targetOf(target: WeightedBackend['target']): Shown {
  if (target.kind === 'backend') return { backend: target.key }
  if (target.kind === 'service') return { service: { name: target.name, port: target.port } }
  return target.kind === 'routeGroup' ? { routeGroup: target.name } : { invalid: null }
}

function socketAddress({ address, port }: Bind): string {
  if (address.startsWith('unix:')) return address
  return `${address.includes(':') ? `[${address}]` : address}:${String(port ?? 0)}`
}
