import type { Backend, Resources, TcpBackend, TcpRoute } from '../../model/resources.ts'
import type { RouteLabels, TcpTarget } from '../../model/snapshot.ts'

/** Finds where a raw connection goes: by server name, exact first, then the longest wildcard; then by weight. */
export const tcpTargets = (
  routes: readonly TcpRoute[],
  listener: RouteLabels,
  resources: Resources,
  random: () => number,
): ((serverName: string | undefined) => TcpTarget | undefined) => {
  const pickers = routes.map((route) => ({ route, pick: picker(route, listener, resources, random) }))
  return (serverName) => {
    let best: { specificity: number; pick: () => TcpTarget | undefined } | undefined
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

const picker = (
  route: TcpRoute,
  listener: RouteLabels,
  { backends }: Resources,
  random: () => number,
): (() => TcpTarget | undefined) => {
  const labels = { ...listener, route: `${route.namespace}/${route.name}`, routeRule: route.ruleName }
  const choices = route.backends.flatMap((choice) => {
    const target = tcpTarget(choice, backends, labels)
    return target && choice.weight > 0 ? [{ weight: choice.weight, target }] : []
  })
  const total = choices.reduce((sum, { weight }) => sum + weight, 0)
  return () => {
    let left = random() * total
    return choices.find(({ weight }) => (left -= weight) < 0)?.target
  }
}

const tcpTarget = (
  { target, tls }: TcpBackend,
  backends: readonly Backend[],
  labels: RouteLabels,
): TcpTarget | undefined => {
  const backend = target.kind === 'backend' ? backends.find(({ key }) => key === target.key) : undefined
  if (backend?.spec.type !== 'static') return undefined
  return {
    labels,
    backend: { name: backend.key, type: 'static', protocol: 'tcp' },
    target: backend.spec.target,
    tls: tls ?? backend.policies.backendTLS,
  }
}
