import { Fault } from '../../model/fault.ts'
import type { Resources, TcpBackend, TcpRoute } from '../../model/resources.ts'
import type { RouteLabels, TcpDeadEnd, TcpTarget } from '../../model/snapshot.ts'
import type { ProxyPlace, Tunnel } from '../../model/tunnel.ts'
import { noEndpoint } from '../../upstream/fault.ts'
import { proxyPlace } from '../../upstream/proxy-place.ts'
import { serviceNamed, servicePlaces } from '../../upstream/service-places.ts'

/** Where a connection of a route goes, or why it goes nowhere. */
type Pick = () => TcpTarget | TcpDeadEnd

/** Finds where a raw connection goes: by server name, exact first, then the longest wildcard; then by weight. */
export const tcpTargets = (
  routes: readonly TcpRoute[],
  listener: RouteLabels,
  resources: Resources,
  random: () => number,
): ((serverName: string | undefined) => TcpTarget | TcpDeadEnd | undefined) => {
  const pickers = routes.map((route) => ({ route, pick: picker(route, listener, resources, random) }))
  return (serverName) => {
    let best: { specificity: number; pick: Pick } | undefined
    for (const { route, pick } of pickers) {
      const specificity = fit(route.hostnames, serverName)
      if (specificity > (best?.specificity ?? 0)) best = { specificity, pick }
    }
    return best?.pick()
  }
}

/** 0 is no fit, 1 a route for every name, more the more of the name is spelled out. */
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

const picker = (route: TcpRoute, listener: RouteLabels, resources: Resources, random: () => number): Pick => {
  const labels = { ...listener, route: `${route.namespace}/${route.name}`, routeRule: route.ruleName }
  const choices = route.backends.flatMap((choice) =>
    choice.weight > 0
      ? [{ weight: choice.weight, pick: destination(choice, resources, labels, random) }]
      : [],
  )
  const total = choices.reduce((sum, { weight }) => sum + weight, 0)
  return () => {
    let left = random() * total
    return choices.find(({ weight }) => (left -= weight) < 0)?.pick() ?? { labels, fault: noBackend }
  }
}

const destination = (
  { target, tls, tunnel }: TcpBackend,
  resources: Resources,
  labels: RouteLabels,
  random: () => number,
): Pick => {
  if (target.kind === 'service')
    return serviceTarget(target.name, target.port, { tls, tunnel }, resources, labels, random)
  const backend =
    target.kind === 'backend' ? resources.backends.find(({ key }) => key === target.key) : undefined
  if (backend?.spec.type !== 'static') return () => ({ labels, fault: missing })
  const found: TcpTarget = {
    labels,
    backend: { name: backend.key, type: 'static', protocol: 'tcp' },
    target: backend.spec.target,
    tls: tls ?? backend.policies.backendTLS,
    proxy: proxyOf(tunnel ?? backend.policies.backendTunnel, resources),
  }
  return () => found
}

/** Connections begin at any of the addresses, and go on to the next where one does not answer. */
const serviceTarget = (
  name: string,
  port: number,
  { tls, tunnel }: { readonly tls: TcpBackend['tls']; readonly tunnel: TcpBackend['tunnel'] },
  resources: Resources,
  labels: RouteLabels,
  random: () => number,
): Pick => {
  const service = serviceNamed(name, resources)
  if (!service) return () => ({ labels, fault: missing })
  const places = servicePlaces(service, port, resources.workloads).flatMap((place) =>
    'ip' in place ? [place] : [],
  )
  const attached = service.policies
  const found: TcpTarget = {
    labels,
    backend: { name, type: 'service', protocol: 'tcp' },
    target: { host: service.hostname, port },
    tls: tls ?? attached?.backendTLS,
    proxy: proxyOf(tunnel ?? attached?.backendTunnel, resources),
  }
  return () => {
    if (places.length === 0) return { labels, fault: noEndpoint() }
    const first = Math.floor(random() * places.length)
    return { ...found, places: [...places.slice(first), ...places.slice(0, first)] }
  }
}

const proxyOf = (tunnel: Tunnel | undefined, resources: Resources): ProxyPlace | undefined =>
  tunnel && proxyPlace(tunnel, resources)

const noBackend = new Fault('no_valid_backends', 'no valid backends', { reason: 'NoHealthyBackend' })
const missing = new Fault('backend_missing', 'backend does not exist')
