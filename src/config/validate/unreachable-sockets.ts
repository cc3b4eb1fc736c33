import { child } from '../instance-path.ts'
import { backendName } from '../normalize/references.ts'
import { httpRoutes, type HttpSite } from './sites.ts'
import type { View } from './view.ts'

/** Unix sockets behind a tunnel that is written elsewhere: among the policies of their route, or attached to either. */
export function examineUnreachableSockets(view: View): void {
  const routes = httpRoutes(view)
  for (const route of routes) if (route.value.policies?.backendTunnel !== undefined) examineRoute(view, route)
  for (const { value, pointer } of view.items(view.file.policies, '/policies')) {
    const { target, policy } = value
    if (policy.backendTunnel === undefined) continue
    const { name, namespace = 'default', ruleName } = target.route ?? {}
    const meant = routes.filter(
      (route) =>
        route.name === name &&
        route.namespace === namespace &&
        (ruleName === undefined || route.value.ruleName === ruleName) &&
        route.value.policies?.backendTunnel === undefined,
    )
    for (const route of meant) examineRoute(view, route)
    const backend = target.backend?.backend?.name
    if (backend !== undefined && isUnixSocket(view, { backend }))
      view.problem(child(child(pointer, 'policy'), 'backendTunnel'), NO_SOCKETS)
  }
}

/** What is said of a tunnel that leads to one. */
export const NO_SOCKETS = 'must not be there: no proxy reaches unix sockets'

/** Whether something leads to a unix socket, written there or as a named backend. */
export function isUnixSocket(view: View, { host, backend }: Place): boolean {
  if (typeof host === 'string') return host.startsWith('unix:')
  if (typeof backend !== 'string') return false
  const named = view.file.backends?.find(({ name }) => name === backendName(backend))
  return named?.host?.startsWith('unix:') ?? false
}

interface Place {
  readonly host?: unknown
  readonly backend?: unknown
}

function examineRoute(view: View, route: HttpSite): void {
  for (const { value, pointer } of view.items(route.value.backends, child(route.pointer, 'backends'))) {
    // A tunnel of its own has been found fault with already.
    if (value.policies?.backendTunnel !== undefined || !isUnixSocket(view, value)) continue
    view.wrongValue(
      child(pointer, value.host === undefined ? 'backend' : 'host'),
      'must be no unix socket: its route has a backendTunnel, and no proxy reaches one',
    )
  }
}
