import type { BackendPolicies, RoutePolicies } from '../model/resources/policies.ts'
import type { PolicyTarget } from '../model/resources/policy-target.ts'
import type {
  Backend,
  Bind,
  Listener,
  Resources,
  Route,
  RouteGroup,
  TargetedPolicy,
} from '../model/resources/resources.ts'
import type { Service } from '../model/resources/service.ts'
import { sameItems } from '../model/resources/list-difference.ts'
import { runAtOnce } from '../model/event-loop/time-slicing.ts'
import { AttachedPolicies, targetKey } from './attached-policies.ts'
import { mergeEach, type Merger, type Merging } from './merge-each.ts'
import { Derived } from './derived.ts'
import { attachedToBind, attachedToListener, targetedListener } from './merge-frontend.ts'
import {
  fieldOf,
  isEmpty,
  mergeAttached,
  type MergedPolicies,
  mergeInline,
  mergeLevels,
  noPolicies,
} from './merge-levels.ts'
import { policiesOf } from './policies.ts'
import type { Receiver } from './policy-row.ts'
import { raiseAuthentication } from '../operators/mcp-authentication/normalize/raise-authentication.ts'

/**
 * Merges policies that are attached by target into their targets, so that compiling finds every policy inside its
 * resource.
 *
 * The inner one takes precedence, field by field: gateway, listener set, listener, route, rule; service, port of a
 * service. A policy written inside a resource is inner to one that is attached to it. Header modifiers and
 * authorization rules are combined instead, outer ones first. Of several policies with the same target the last one in
 * the list takes precedence; of those with a precedence the oldest, over all without one.
 *
 * A policy that overrides locks its kind: inner levels neither replace it nor add to it.
 */
export const mergePolicies = (resources: Resources): Resources =>
  runAtOnce(mergeSteps(resources, new Derived()))

/**
 * The same, resource by resource. Resources to which nothing is attached stay the same objects; the others are taken
 * over from the configuration before if neither they nor their policies have changed.
 */
export function* mergeSteps(resources: Resources, derived: Derived): Generator<undefined, Resources> {
  if (resources.policies.length === 0) return raiseAuthentication(resources, derived)
  const { policies } = resources
  const attached = derived.of('attached policies', '', [policies], () => new AttachedPolicies(policies))
  const merging: Merging = { attached, derived }
  const binds: Bind[] = []
  for (const bind of resources.binds) {
    const listeners: Listener[] = []
    for (const listener of bind.listeners) listeners.push(yield* mergeListener(listener, bind, merging))
    const frontend = attachedToBind(bind, merging)
    const isSame = sameItems(listeners, bind.listeners) && !frontend
    binds.push(
      isSame
        ? bind
        : derived.of('merged bind', bind, [frontend, ...listeners], () => ({
            ...bind,
            listeners,
            ...(frontend && { frontend }),
          })),
    )
  }
  const backends = yield* mergeEach('backends', resources.backends, merging, mergerOfBackend(merging))
  const services = yield* mergeEach('services', resources.services, merging, mergerOfService(merging))
  const routeGroups: RouteGroup[] = []
  for (const group of resources.routeGroups) routeGroups.push(yield* mergeGroup(group, merging))
  return raiseAuthentication({ ...resources, binds, backends, services, routeGroups }, derived)
}

function* mergeListener(
  listener: Listener,
  bind: Bind,
  { attached, derived }: Merging,
): Generator<undefined, Listener> {
  const set = listener.listenerSet
  const nearness = (target: PolicyTarget): number => {
    if (target.kind === 'listenerSet') return targetedListener(target, listener, 2)
    if (target.kind !== 'gateway') return 0
    if (target.port !== undefined && target.port !== bind.port) return 0
    return targetedListener(target, listener, 1)
  }
  const { gatewayNamespace, gatewayName } = listener
  const keys = [
    targetKey({ kind: 'gateway', namespace: gatewayNamespace, name: gatewayName }),
    ...(set ? [targetKey({ kind: 'listenerSet', ...set })] : []),
  ]
  const name = `${bind.key} ${listener.key}`
  const forRoutes = attached.to(keys, 'route', nearness)
  // One object for all routes of the listener, by which theirs are recognised.
  const outer = derived.of('outer policies', name, forRoutes, () => mergeAttached(noPolicies, forRoutes))
  const routes = yield* mergeEach(
    `routes of listener ${name}`,
    listener.routes,
    { attached, derived },
    mergerOfRoute(outer, attached),
  )
  const own = attached.to(keys, 'gateway', nearness)
  const policies = derived.of('gateway policies', name, [listener.policies, ...own], () =>
    mergeInline(mergeAttached(noPolicies, own), listener.policies),
  )
  const frontend = attachedToListener(listener, bind, { attached, derived })
  if (policies === listener.policies && !frontend && sameItems(routes, listener.routes)) return listener
  return derived.of('merged listener', name, [listener, policies, frontend, routes], () => ({
    ...listener,
    policies,
    ...(frontend && { frontend }),
    routes,
  }))
}

const mergerOfRoute = (outer: MergedPolicies, attached: AttachedPolicies): Merger<Route> => ({
  attachedTo: (route) => {
    const { namespace, name, ruleName } = route
    return attached.to([targetKey({ kind: 'route', namespace, name })], 'route', (target) => {
      if (target.kind !== 'route') return 0
      if (target.routeKind !== undefined && target.routeKind !== (route.kind ?? 'HTTPRoute')) return 0
      if (target.ruleName === undefined) return 1
      return target.ruleName === ruleName ? 2 : 0
    })
  },
  merge: (route, own) => {
    const attachedToIt = mergeAttached(outer, own)
    const { locked } = attachedToIt
    return {
      ...route,
      policies: mergeInline(attachedToIt, route.policies),
      ...(locked.size > 0 && { lockedPolicies: locked }),
    }
  },
  outer: isEmpty(outer.policies) ? undefined : outer,
})

function* mergeGroup(group: RouteGroup, merging: Merging): Generator<undefined, RouteGroup> {
  const merger = mergerOfRoute(noPolicies, merging.attached)
  const routes = yield* mergeEach(`routes of group ${group.name}`, group.routes, merging, merger)
  if (sameItems(routes, group.routes)) return group
  return merging.derived.of('merged group', group, [routes], () => ({ ...group, routes }))
}

const mergerOfBackend = ({ attached }: Merging): Merger<Backend> => ({
  attachedTo: ({ key }) => attached.to([targetKey({ kind: 'backend', key })], 'route'),
  merge: (backend, attached) => ({
    ...backend,
    policies: mergeBackendPolicies(
      mergedPolicies(attached.filter(({ target }) => sectionOf(target) === undefined)) as BackendPolicies,
      backend.policies,
    ),
    ...sectionPolicies(attached),
  }),
  outer: undefined,
})

const sectionPolicies = (attached: readonly TargetedPolicy[]): Pick<Backend, 'sectionPolicies'> => {
  const sections = new Set(attached.flatMap(({ target }) => sectionOf(target) ?? []))
  if (sections.size === 0) return {}
  const policiesOfSection = (section: string): BackendPolicies =>
    mergedPolicies(attached.filter(({ target }) => sectionOf(target) === section)) as BackendPolicies
  return {
    sectionPolicies: Object.fromEntries(
      [...sections].map((section) => [section, policiesOfSection(section)]),
    ),
  }
}

const sectionOf = (target: PolicyTarget): string | undefined =>
  target.kind === 'backend' ? target.section : undefined

/** A service has attached policies only, of all ports or of one. */
const mergerOfService = ({ attached }: Merging): Merger<Service> => ({
  attachedTo: ({ namespace, hostname }) =>
    attached.to([targetKey({ kind: 'service', name: `${namespace}/${hostname}` })], 'route'),
  merge: (service, own) => ({ ...service, ...servicePolicies(service, own) }),
  outer: undefined,
})

const servicePolicies = (
  { ports }: Service,
  attached: readonly TargetedPolicy[],
): Pick<Service, 'policies' | 'portPolicies'> => {
  const named = attached.flatMap(({ target }) => portOf(target) ?? [])
  const policiesOfPort = (port?: number): BackendPolicies =>
    mergedPolicies([
      ...attached.filter(({ target }) => portOf(target) === undefined),
      ...attached.filter(({ target }) => port !== undefined && portOf(target) === port),
    ]) as BackendPolicies
  const policies = policiesOfPort()
  const own = named.filter((port) => ports[port] !== undefined)
  return {
    ...(!isEmpty(policies) && { policies }),
    ...(own.length > 0 && {
      portPolicies: Object.fromEntries(own.map((port) => [port, policiesOfPort(port)])),
    }),
  }
}

const portOf = (target: PolicyTarget): number | undefined =>
  target.kind === 'service' ? target.port : undefined

const mergedPolicies = (attached: readonly TargetedPolicy[]): RoutePolicies =>
  mergeAttached(noPolicies, attached).policies

/** The policies of a route that apply to its backends, or of a backend to its servers or providers. */
export const handedTo = (receiver: Receiver, outer: RoutePolicies | BackendPolicies): BackendPolicies =>
  Object.fromEntries(
    policiesOf('backend', 'printed').flatMap(([name, { handedTo: receivers }]) => {
      const policy = fieldOf(outer, name)
      return policy !== undefined && receivers?.includes(receiver) ? [[name, policy]] : []
    }),
  )

/** The policies of a named backend, merged with those of a reference to it. */
export const mergeBackendPolicies = (outer: BackendPolicies, inner: BackendPolicies): BackendPolicies =>
  mergeLevels(outer, inner)
