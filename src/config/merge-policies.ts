import type { BackendPolicies, RoutePolicies } from '../model/resources/policies.ts'
import type {
  Backend,
  Bind,
  Listener,
  PolicyTarget,
  Resources,
  Route,
  TargetedPolicy,
} from '../model/resources/resources.ts'
import type { Service } from '../model/resources/service.ts'
import { policiesOf, policyRows } from './policies.ts'
import type { PolicyRow, Receiver } from './policy-row.ts'
import { sortedByPrecedence } from './resource-precedence.ts'

/**
 * Merges policies that are attached by target into their targets, so that compiling finds every policy inside its
 * resource.
 *
 * The inner one takes precedence, field by field: gateway, listener set, listener, route, rule; service, port of a
 * service. A policy written inside a resource is inner to one that is attached to it. Header modifiers and
 * authorization rules are combined instead, outer ones first. Of several policies with the same target the last one in
 * the list takes precedence; of those with a precedence the oldest, over all without one.
 */
export const mergePolicies = (resources: Resources): Resources => {
  if (resources.policies.length === 0) return resources
  const attached = new Attached(resources.policies)
  return {
    ...resources,
    binds: resources.binds.map((bind) => ({
      ...bind,
      listeners: bind.listeners.map((listener) => mergeListener(listener, bind, attached)),
    })),
    backends: resources.backends.map((backend) => mergeBackend(backend, attached)),
    services: resources.services.map((service) => mergeService(service, attached)),
    routeGroups: resources.routeGroups.map((group) => ({
      ...group,
      routes: group.routes.map((route) => mergeRoute(route, {}, attached)),
    })),
  }
}

/** Policies by their target, outer ones first. */
class Attached {
  readonly #policies: readonly TargetedPolicy[]

  constructor(policies: readonly TargetedPolicy[]) {
    // The inner ones are last. Those without a precedence remain in the order of the list, before the others.
    const [made, listed] = [policies.filter(hasPrecedence), policies.filter((one) => !hasPrecedence(one))]
    this.#policies = [...listed, ...sortedByPrecedence(made).toReversed()]
  }

  /** Whether a policy targets one port of a service. */
  names(service: string, port: number): boolean {
    return this.#policies.some(
      ({ target }) =>
        target.kind === 'service' && target.port === port && target.name.toLowerCase() === service,
    )
  }

  to(phase: TargetedPolicy['phase'], fits: (target: PolicyTarget) => number): RoutePolicies {
    return this.#policies
      .filter((policy) => policy.phase === phase)
      .map((policy) => ({ policy: policy.policy, nearness: fits(policy.target) }))
      .filter(({ nearness }) => nearness > 0)
      .sort((a, b) => a.nearness - b.nearness)
      .reduce<RoutePolicies>((merged, { policy }) => mergeLevels(merged, policy), {})
  }
}

const hasPrecedence = ({ precedence }: TargetedPolicy): boolean => precedence !== undefined

const mergeListener = (listener: Listener, bind: Bind, attached: Attached): Listener => {
  const set = listener.listenerSet
  const nearness = (target: PolicyTarget): number => {
    if (target.kind === 'listenerSet') {
      if (target.name !== set?.name || target.namespace !== set.namespace) return 0
      return targetedListener(target, listener, 2)
    }
    if (target.kind !== 'gateway') return 0
    if (target.name !== listener.gatewayName || target.namespace !== listener.gatewayNamespace) return 0
    if (target.port !== undefined && target.port !== bind.port) return 0
    return targetedListener(target, listener, 1)
  }
  const outer = attached.to('route', nearness)
  return {
    ...listener,
    policies: mergeLevels(attached.to('gateway', nearness), listener.policies),
    routes: listener.routes.map((route) => mergeRoute(route, outer, attached)),
  }
}

/** How near a target is that may name a listener: `whole` if it does not. */
const targetedListener = (
  { listener }: { readonly listener?: string },
  { listenerName, listenerSet }: Listener,
  whole: 1 | 2,
): number => {
  if (listener === undefined) return whole
  // Names of a gateway and of a set are apart: both may have a listener of one name.
  return listener === listenerName && (whole === 2 || !listenerSet) ? 3 : 0
}

const mergeRoute = (route: Route, outer: RoutePolicies, attached: Attached): Route => {
  const own = attached.to('route', (target) => {
    if (target.kind !== 'route' || target.name !== route.name || target.namespace !== route.namespace)
      return 0
    if (target.routeKind !== undefined && target.routeKind !== (route.kind ?? 'HTTPRoute')) return 0
    if (target.ruleName === undefined) return 1
    return target.ruleName === route.ruleName ? 2 : 0
  })
  return { ...route, policies: mergeLevels(mergeLevels(outer, own), route.policies) }
}

const mergeBackend = (backend: Backend, attached: Attached): Backend => {
  const outer = attached.to('route', (target) =>
    target.kind === 'backend' && target.key === backend.key ? 1 : 0,
  )
  return { ...backend, policies: mergeBackendPolicies(outer as BackendPolicies, backend.policies) }
}

/** A service has attached policies only, of all ports or of one. */
const mergeService = (service: Service, attached: Attached): Service => {
  const key = `${service.namespace}/${service.hostname}`.toLowerCase()
  const policiesOfPort = (port?: number) =>
    attached.to('route', (target) => {
      if (target.kind !== 'service' || target.name.toLowerCase() !== key) return 0
      return target.port === undefined ? 1 : target.port === port ? 2 : 0
    }) as BackendPolicies
  const policies = policiesOfPort()
  const ports = Object.keys(service.ports).filter((port) => attached.names(key, Number(port)))
  const portPolicies = Object.fromEntries(ports.map((port) => [port, policiesOfPort(Number(port))]))
  return {
    ...service,
    ...(Object.keys(policies).length > 0 && { policies }),
    ...(ports.length > 0 && { portPolicies }),
  }
}

/**
 * A route of a group, with those policies of the delegating route that apply where messages are parsed, behind the
 * delegation. Its other policies apply before the delegation.
 */
export const handDown = (outer: RoutePolicies, route: Route): Route => {
  const inner = route.policies
  const handed = policyRows.flatMap(([name, { intoGroups, merge }]): [string, unknown][] => {
    const policy = fieldOf(outer, name)
    if (intoGroups === undefined || policy === undefined) return []
    const own = fieldOf(inner, name)
    if (own === undefined) return [[name, policy]]
    return [[name, intoGroups === 'merge' && merge ? mergeField(merge, policy, own) : own]]
  })
  return { ...route, policies: { ...inner, ...Object.fromEntries(handed) } }
}

/** The policies of a route that apply to its backends, or of a backend to its servers or providers. */
export const handedTo = (receiver: Receiver, outer: RoutePolicies | BackendPolicies): BackendPolicies =>
  Object.fromEntries(
    policiesOf('backend', 'printed').flatMap(([name, { handedTo: receivers }]) => {
      const policy = fieldOf(outer, name)
      return policy !== undefined && receivers?.includes(receiver) ? [[name, policy]] : []
    }),
  )

/** Merges the policies of two levels: the inner one takes precedence, unless the row of the policy merges both. */
const mergeLevels = <P extends object>(outer: P, inner: P): P => {
  const merged = { ...outer, ...inner } as Record<string, unknown>
  for (const [name, { merge }] of policyRows) {
    const [first, second] = [fieldOf(outer, name), fieldOf(inner, name)]
    if (merge && first !== undefined && second !== undefined) merged[name] = mergeField(merge, first, second)
  }
  return merged as P
}

/** The policies of a named backend, merged with those of a reference to it. */
export const mergeBackendPolicies = (outer: BackendPolicies, inner: BackendPolicies): BackendPolicies =>
  mergeLevels(outer, inner)

const fieldOf = (policies: object, name: string): unknown =>
  (policies as Readonly<Record<string, unknown>>)[name]

const mergeField = (merge: NonNullable<PolicyRow['merge']>, outer: unknown, inner: unknown): unknown => {
  const merged = merge(outer as never, inner as never) // both are fields of this row
  if (typeof merged === 'object' && merged !== null) parts.set(merged, [outer, inner])
  return merged
}

/** The policies that a merged one was made of, outer ones first; undefined if it was not merged. */
export const mergedFrom = (policy: object): readonly unknown[] | undefined => parts.get(policy)

/** Weak: merged policies live as long as their configuration. */
const parts = new WeakMap<object, readonly unknown[]>()
