import type {
  Bind,
  Listener,
  Route,
  TcpRoute,
  UdpRoute,
  WeightedBackend,
} from '../../model/resources/resources.ts'
import { lateByKey } from '../../model/trace/lazy-json.ts'
import { defined } from '../../protocols/json/omit-undefined.ts'
import { type Hiding, type Printed, printedFields, printedOrigin, printedPolicies } from './value.ts'
import { hostPortText } from '../../protocols/ip/host-port.ts'

/** A bind with its listeners and their routes, by key. */
export function dumpBind(bind: Bind, hiding: Hiding): Printed {
  const { key, protocol, tunnelProtocol, mode, listeners } = bind
  return {
    key,
    address: socketAddress(bind),
    protocol,
    tunnelProtocol,
    mode,
    listeners: lateByKey(listeners, (listener) => dumpListener(listener, hiding)),
    ...printedOrigin(bind),
  }
}

/** An HTTP route as dumps print it. */
export function dumpRoute(route: Route, hiding: Hiding): Printed {
  const { key, name, namespace, ruleName, kind, precedence, hostnames } = route
  const { matches, encodedSlashes, backends, policies } = route
  return {
    key,
    name,
    namespace,
    ...(ruleName === undefined ? {} : { ruleName }),
    ...(kind === undefined ? {} : { kind }),
    ...(precedence === undefined ? {} : { precedence }),
    ...(hostnames.length === 0 ? {} : { hostnames }),
    matches: matches.map((match) => printedFields(match, hiding)),
    ...(encodedSlashes === undefined ? {} : { encodedSlashes }),
    ...(backends.length === 0
      ? {}
      : { backends: backends.map((backend) => dumpRouteBackend(backend, hiding)) }),
    ...printedPolicies(policies, hiding),
    ...printedOrigin(route),
  }
}

/** A listener with its routes, by key. */
export function dumpListener(listener: Listener, hiding: Hiding): Printed {
  const { key, gatewayName, gatewayNamespace, listenerName, listenerSet } = listener
  const { hostname, routes, tcpRoutes, udpRoutes = [], policies } = listener
  return {
    key,
    gatewayName,
    gatewayNamespace,
    listenerName,
    ...(listenerSet === undefined ? {} : { listenerSet }),
    // Gateway listeners print `*` where the older form prints an empty hostname.
    hostname: hostname === '' && key.startsWith('gateway/') ? '*' : hostname,
    protocol: listenerProtocol(listener, hiding),
    ...(routes.length === 0 ? {} : { routes: lateByKey(routes, (route) => dumpRoute(route, hiding)) }),
    ...(tcpRoutes.length === 0
      ? {}
      : { tcpRoutes: lateByKey(tcpRoutes, (route) => dumpTcpRoute(route, hiding)) }),
    ...(udpRoutes.length === 0
      ? {}
      : { udpRoutes: lateByKey(udpRoutes, (route) => dumpUdpRoute(route, hiding)) }),
    ...printedPolicies(policies, hiding),
    ...printedOrigin(listener),
  }
}

function listenerProtocol({ protocol, tls }: Listener, hiding: Hiding): unknown {
  if (protocol === 'HTTP' || protocol === 'TCP' || protocol === 'UDP') return protocol
  if (tls === undefined) return { [protocol]: null }
  const { certFile, keyFile, clientCaFile, certPem, keyPem, clientCaPem, minting, ...rest } = tls
  const files = printedFields(
    defined({ cert: certFile, key: keyFile, root: clientCaFile, certPem, keyPem, rootPem: clientCaPem }),
    hiding,
  )
  return {
    [protocol]: {
      certificateSource: minting ? { dynamicCa: { ...files, ...minting } } : { static: files },
      ...printedFields(rest, hiding),
    },
  }
}

/** A TCP route as dumps print it. */
export function dumpTcpRoute(route: TcpRoute, hiding: Hiding): Printed {
  const { key, name, namespace, ruleName, precedence, hostnames, backends } = route
  return {
    key,
    name,
    namespace,
    ...(ruleName === undefined ? {} : { ruleName }),
    ...(precedence === undefined ? {} : { precedence }),
    ...(hostnames.length === 0 ? {} : { hostnames }),
    backends: backends.map(({ weight, target, tls, tunnel }) => ({
      weight,
      ...targetOf(target),
      ...printedPolicies(
        {
          ...(tls === undefined ? {} : { backendTLS: tls }),
          ...(tunnel === undefined ? {} : { backendTunnel: tunnel }),
        },
        hiding,
      ),
    })),
    ...printedOrigin(route),
  }
}

/** A UDP route as dumps print it. */
export function dumpUdpRoute(route: UdpRoute, hiding: Hiding): Printed {
  return dumpTcpRoute({ ...route, hostnames: [] }, hiding)
}

function dumpRouteBackend({ weight, priority, target, policies }: WeightedBackend, hiding: Hiding): Printed {
  return {
    weight,
    ...(priority === undefined ? {} : { priority }),
    ...targetOf(target),
    ...printedPolicies(policies, hiding),
  }
}

function targetOf(target: WeightedBackend['target']): Printed {
  if (target.kind === 'backend') return { backend: target.key }
  if (target.kind === 'service') return { service: { name: target.name, port: target.port } }
  return target.kind === 'routeGroup' ? { routeGroup: target.name } : { invalid: null }
}

function socketAddress({ address, port }: Bind): string {
  return address.startsWith('unix:') ? address : hostPortText(address, port ?? 0)
}
