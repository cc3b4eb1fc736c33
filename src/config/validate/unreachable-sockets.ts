import type * as File from '../schema/file-types.gen.ts'
import { child } from '../document/json-pointer.ts'
import { backendName } from '../normalize/references.ts'
import { httpRoutes, type HttpRouteLocation } from './route-locations.ts'
import type { ValidationContext } from './context.ts'

/**
 * Checks for Unix sockets behind a tunnel that is configured elsewhere: in policies of their route, or attached by
 * target.
 */
export function checkUnreachableSockets(view: ValidationContext): void {
  const attached = view
    .items(view.file.policies, '/policies')
    .filter(({ value }) => value.policy.backendTunnel?.proxy !== undefined)
  for (const { value, pointer } of attached) {
    const backend = value.target.backend?.backend?.name
    if (backend !== undefined && isUnixSocket(view, { backend }))
      view.problem(child(child(pointer, 'policy'), 'backendTunnel'), NO_SOCKETS)
  }
  for (const route of httpRoutes(view))
    if (
      route.value.policies?.backendTunnel?.proxy !== undefined ||
      attached.some(({ value }) => isMeant(route, value.target))
    )
      examineRoute(view, route)
}

function isMeant(route: HttpRouteLocation, { route: target, gateway }: File.PolicyTarget): boolean {
  if (gateway !== undefined) {
    const { gatewayName, listenerName } = gateway
    const listenerKey = listenerName === undefined ? gatewayName : `${gatewayName}/${listenerName}`
    return route.listeners.some(({ references }) => references.includes(listenerKey))
  }
  if (target === undefined) return false
  const { name, namespace = 'default', ruleName } = target
  if (route.name !== name || route.namespace !== namespace) return false
  return ruleName === undefined || route.value.ruleName === ruleName
}

/** The problem of such a tunnel. */
export const NO_SOCKETS = 'must not be there: no proxy reaches unix sockets'

/** Whether a destination is a Unix socket, directly or as a named backend. */
export function isUnixSocket(view: ValidationContext, { host, backend }: SocketAddress): boolean {
  if (typeof host === 'string') return host.startsWith('unix:')
  if (typeof backend !== 'string') return false
  const named = view.file.backends?.find(({ name }) => name === backendName(backend))
  return named?.host?.startsWith('unix:') ?? false
}

interface SocketAddress {
  readonly host?: unknown
  readonly backend?: unknown
}

function examineRoute(view: ValidationContext, route: HttpRouteLocation): void {
  for (const { value, pointer } of view.items(route.value.backends, child(route.pointer, 'backends'))) {
    // Its own tunnel is checked elsewhere.
    if (value.policies?.backendTunnel !== undefined || !isUnixSocket(view, value)) continue
    view.wrongValue(
      child(pointer, value.host === undefined ? 'backend' : 'host'),
      'must be no unix socket: its route has a backendTunnel, and no proxy reaches one',
    )
  }
}
