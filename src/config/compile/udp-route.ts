import { Fault } from '../../model/exchange/fault.ts'
import type { UdpBackend, UdpRoute } from '../../model/resources/resources.ts'
import { servicePort } from '../../model/resources/service.ts'
import type { RouteLabels, TcpDeadEnd, UdpTarget, UdpTargets } from '../../model/resources/snapshot.ts'
import { noEndpoint } from '../../upstream/faults.ts'
import { clientEndpoints } from '../../upstream/load-balancing/affinity/client-endpoints.ts'
import { ConnectionAffinity } from '../../upstream/load-balancing/affinity/connection-affinity.ts'
import { type RankedEndpoint, serviceEndpoints } from '../../upstream/load-balancing/service-endpoints.ts'
import { SmoothWeights } from '../../upstream/load-balancing/smooth-weights.ts'
import type { CompileContext } from './compile-context.ts'
import { missingTarget, noBackends } from './tcp-route.ts'

/** The targets of UDP routes, in the order of precedence: the first one gets all datagrams. */
export const udpTargets = ([first]: readonly UdpTargets[]): UdpTargets => ({
  pick: (client) => first?.pick(client),
  keeps: (target) => first?.keeps(target) ?? false,
})

/** Compiles a UDP route. */
export const compileUdpRoute = (
  route: UdpRoute,
  listener: RouteLabels,
  context: CompileContext,
): UdpTargets => {
  const labels = { ...listener, route: `${route.namespace}/${route.name}`, routeRule: route.ruleName }
  const choices = route.backends.flatMap((choice) =>
    choice.weight > 0
      ? [{ weight: choice.weight, targets: targetsOf(choice, { labels, route: route.key }, context) }]
      : [],
  )
  const turns = new SmoothWeights()
  return {
    pick: (client) =>
      turns.pick(choices, ({ weight }) => weight)?.targets.pick(client) ?? { labels, fault: noBackends },
    keeps: (target) => target.route === route.key && choices.some(({ targets }) => targets.keeps(target)),
  }
}

const targetsOf = (
  { target }: UdpBackend,
  found: Pick<UdpTarget, 'labels' | 'route'>,
  context: CompileContext,
): UdpTargets => {
  if (target.kind === 'service') return serviceTargets(target.name, target.port, found, context)
  const backend = target.kind === 'backend' ? context.lookup.backend(target.key) : undefined
  if (backend?.spec.type !== 'static' || 'unix' in backend.spec.target) return deadEnd(found, missingTarget)
  const { target: address } = backend.spec
  const udpTarget: UdpTarget = {
    ...found,
    backend: { name: backend.key, type: 'static', protocol: 'udp' },
    target: address,
  }
  return {
    pick: () => udpTarget,
    // The name of an inline backend is its position, which may change.
    keeps: ({ target: one, address: ofService }) =>
      !ofService && one.host === address.host && one.port === address.port,
  }
}

/**
 * Draws an endpoint for each session, unless the service keeps clients at theirs. A session ends when the service no
 * longer has its endpoint.
 */
const serviceTargets = (
  name: string,
  port: number,
  found: Pick<UdpTarget, 'labels' | 'route'>,
  { session, lookup, random }: CompileContext,
): UdpTargets => {
  const service = lookup.service(name)
  if (!service) return deadEnd(found, missingTarget)
  const endpoints = serviceEndpoints(service, port, lookup, 'udp')
  const known = new Set(endpoints.map(({ address }) => keyOf(address)))
  const udpTarget: UdpTarget = {
    ...found,
    backend: { name, type: 'service', protocol: 'udp' },
    target: { host: service.hostname, port },
  }
  const clients = clientEndpoints(service, servicePort(port, 'udp'), (key, make) => session.keep(key, make))
  const affinity = clients && new ConnectionAffinity(clients, endpoints)
  return {
    pick: ({ sourceAddress: client }) => {
      const own = affinity?.endpointOf(client)
      const endpoint = own ?? drawn(endpoints, random)
      if (!endpoint) return { ...found, fault: noEndpoint() }
      const target = { ...udpTarget, address: endpoint.address }
      return own ? { ...target, onUnreachable: () => affinity?.unreachable(client, own) } : target
    },
    keeps: ({ target, address }) =>
      address !== undefined &&
      target.host === service.hostname &&
      target.port === port &&
      known.has(keyOf(address)),
  }
}

const deadEnd = ({ labels }: Pick<UdpTarget, 'labels'>, fault: Fault): UdpTargets => {
  const end: TcpDeadEnd = { labels, fault }
  return { pick: () => end, keeps: () => false }
}

const keyOf = ({ ip, port }: RankedEndpoint['address']): string => `${ip} ${String(port)}`

/** One of those with the lowest number, by their weights. */
const drawn = (endpoints: readonly RankedEndpoint[], random: () => number): RankedEndpoint | undefined => {
  const [first] = endpoints
  const best = endpoints.filter(({ priority }) => priority === first?.priority)
  let left = random() * best.reduce((sum, { weight }) => sum + weight, 0)
  return best.find(({ weight }) => (left -= weight) < 0) ?? best.at(-1)
}
