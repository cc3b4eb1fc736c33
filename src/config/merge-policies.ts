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

/**
 * Merges policies that are attached by target into their targets, so that compiling finds every policy inside its
 * resource.
 *
 * The inner one takes precedence, field by field: gateway, listener, route, rule. A policy written inside a resource
 * is inner to one that is attached to it. Header modifiers and authorization rules are combined instead, outer ones
 * first.
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
    this.#policies = policies
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

const mergeListener = (listener: Listener, bind: Bind, attached: Attached): Listener => {
  const nearness = (target: PolicyTarget): number => {
    if (target.kind !== 'gateway') return 0
    if (target.name !== listener.gatewayName || target.namespace !== listener.gatewayNamespace) return 0
    if (target.port !== undefined && target.port !== bind.port) return 0
    if (target.listener === undefined) return 1
    return target.listener === listener.listenerName ? 2 : 0
  }
  const outer = attached.to('route', nearness)
  return {
    ...listener,
    policies: mergeLevels(attached.to('gateway', nearness), listener.policies),
    routes: listener.routes.map((route) => mergeRoute(route, outer, attached)),
  }
}

const mergeRoute = (route: Route, outer: RoutePolicies, attached: Attached): Route => {
  const own = attached.to('route', (target) => {
    if (target.kind !== 'route' || target.name !== route.name || target.namespace !== route.namespace)
      return 0
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

/** A service has attached policies only. */
const mergeService = (service: Service, attached: Attached): Service => {
  const key = `${service.namespace}/${service.hostname}`.toLowerCase()
  const policies = attached.to('route', (target) =>
    target.kind === 'service' && target.name.toLowerCase() === key ? 1 : 0,
  )
  return Object.keys(policies).length ? { ...service, policies: policies as BackendPolicies } : service
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
