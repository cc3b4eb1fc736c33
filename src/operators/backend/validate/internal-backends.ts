import type * as File from '../../../config/schema/file-types.gen.ts'
import { child } from '../../../config/document/json-pointer.ts'
import { backendName } from '../../../config/normalize/references.ts'
import { attachedPolicies } from '../../../upstream/backend-tunnel/validate.ts'
import {
  httpRoutes,
  type HttpRouteLocation,
  type ListenerLocation,
} from '../../../config/validate/route-locations.ts'
import type { Check, ValidationContext } from '../../../config/validate/context.ts'

/** Checks that routes to the admin interface have access control. */
export const checkInternalBackends: Check = (view) => {
  for (const { value, pointer } of view.items(view.file.backends, '/backends'))
    if (value.internal !== undefined) examineIdle(view, value.policies, pointer)
  for (const route of httpRoutes(view))
    for (const { value, pointer } of view.items(route.value.backends, child(route.pointer, 'backends'))) {
      const named = view.file.backends?.find(
        ({ name }) => value.backend !== undefined && name === backendName(value.backend),
      )
      if (value.internal === undefined && named?.internal === undefined) continue
      if (value.internal !== undefined) examineIdle(view, value.policies, pointer)
      const own = [value.policies, named?.policies, ...attachedPolicies(view, value)]
      if (own.some(identifies) || isGuarded(view, route)) continue
      view.warning(
        child(pointer, value.internal === undefined ? 'backend' : 'internal'),
        'internal_without_authorization',
        'whoever reaches this route can read the configuration and watch requests: no authorization, and no authentication that refuses, is in force on it',
      )
    }
}

/** Whether a route is protected: on each listener, and on each way to its group. */
function isGuarded(
  view: ValidationContext,
  route: HttpRouteLocation,
  within: readonly string[] = [],
): boolean {
  if (view.file.frontendPolicies?.networkAuthorization?.rules.length) return true
  if (identifies(route.value.policies) || attachedTo(view, (target) => fits(target, route))) return true
  const { group } = route
  if (group === undefined)
    return (
      route.listeners.length > 0 && route.listeners.every((listener) => isListenerGuarded(view, listener))
    )
  if (within.includes(group)) return true
  const parents = httpRoutes(view).filter(({ value }) =>
    value.backends?.some(({ routeGroup }) => routeGroup === group),
  )
  return parents.every((parent) => isGuarded(view, parent, [...within, group]))
}

function isListenerGuarded(view: ValidationContext, listener: ListenerLocation): boolean {
  if (requiresCertificate(listener.tls) || identifies(listener.policies)) return true
  return attachedTo(view, ({ gateway }) => {
    if (gateway === undefined || gateway.port !== undefined) return false
    const { gatewayName, listenerName } = gateway
    // In binds of the older form, targets by listener name are ignored here.
    if (listener.form === 'bind') return gatewayName === listener.gatewayName && listenerName === undefined
    return listener.references.includes(
      listenerName === undefined ? gatewayName : `${gatewayName}/${listenerName}`,
    )
  })
}

/** With a root, clients must present a certificate, unless the listener lets in those without. */
function requiresCertificate(tls: File.ServerTls | undefined): boolean {
  const root = tls?.root ?? tls?.rootPem
  return root !== undefined && tls?.clientCertificates !== 'allowInsecureFallback'
}

function fits({ route: target }: File.PolicyTarget, { name, namespace, value }: HttpRouteLocation): boolean {
  if (target?.name !== name || (target.namespace ?? 'default') !== namespace) return false
  return target.ruleName === undefined || target.ruleName === value.ruleName
}

function attachedTo(view: ValidationContext, isMeant: (target: File.PolicyTarget) => boolean): boolean {
  return (view.file.policies ?? []).some(
    ({ target, policy }) =>
      (identifies(policy) || policy.frontend?.networkAuthorization?.rules.length) && isMeant(target),
  )
}

/**
 * Whether policies refuse callers by identity. Authentication that lets unauthenticated requests pass does not count.
 */
function identifies(policies: File.RoutePolicies | File.BackendPolicies = {}): boolean {
  const { authorization, extAuthz } = policies
  if (extAuthz !== undefined || (authorization?.rules ?? []).length > 0) return true
  const { oidc, basicAuth, apiKey, jwtAuth } = policies as File.RoutePolicies
  return oidc !== undefined || [basicAuth, apiKey, jwtAuth].some((policy) => policy?.mode === 'strict')
}

/** Policies about connections do not apply here. */
function examineIdle(
  view: ValidationContext,
  policies: File.BackendPolicies | undefined,
  pointer: string,
): void {
  const idle = Object.keys(policies ?? {}).filter((name) => ABOUT_CONNECTIONS.has(name))
  if (idle.length > 0)
    view.warning(
      child(pointer, 'policies'),
      'no_effect',
      `has policies that have no effect on internal backends: ${idle.join(', ')}`,
    )
}

const ABOUT_CONNECTIONS = new Set(['backendTLS', 'backendTunnel', 'tcp', 'health'])
