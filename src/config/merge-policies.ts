import type { Authorization } from '../model/authorization.ts'
import type { LlmPolicy } from '../model/llm.ts'
import type { BackendPolicies, GatewayPolicies, HeaderModifier, RoutePolicies } from '../model/policies.ts'
import type {
  Backend,
  Bind,
  Listener,
  PolicyTarget,
  Resources,
  Route,
  Service,
  TargetedPolicy,
} from '../model/resources.ts'
import { mergeLlmPolicies } from './merge-llm-policy.ts'

/**
 * Folds the policies that are attached by target into what they are attached to, so that whoever compiles finds every
 * policy of a thing inside it.
 *
 * The nearer one wins, field by field: gateway, listener, route, rule; what is written inside a resource is nearer than
 * what is attached to it. Header modifiers and rules of authorizations add up instead, the outer ones first.
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

/** Policies by what they are attached to, the farther first. */
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
      .reduce<RoutePolicies>((merged, { policy }) => mergeRoutePolicies(merged, policy), {})
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
    policies: mergeGatewayPolicies(attached.to('gateway', nearness), listener.policies),
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
  return { ...route, policies: mergeRoutePolicies(mergeRoutePolicies(outer, own), route.policies) }
}

const mergeBackend = (backend: Backend, attached: Attached): Backend => {
  const outer = attached.to('route', (target) =>
    target.kind === 'backend' && target.key === backend.key ? 1 : 0,
  )
  return { ...backend, policies: mergeBackendPolicies(outer as BackendPolicies, backend.policies) }
}

/** A service has no policies but those. */
const mergeService = (service: Service, attached: Attached): Service => {
  const key = `${service.namespace}/${service.hostname}`.toLowerCase()
  const policies = attached.to('route', (target) =>
    target.kind === 'service' && target.name.toLowerCase() === key ? 1 : 0,
  )
  return Object.keys(policies).length ? { ...service, policies: policies as BackendPolicies } : service
}

/**
 * A route of a group with what the route that leads there says about MCP, A2A and language models: it holds where messages
 * are read, which is at the end of the way. Other policies of that route act on the way.
 */
export const handDown = (outer: RoutePolicies, route: Route): Route => {
  const mcpAuthorization = allRules(outer.mcpAuthorization, route.policies.mcpAuthorization)
  const { mcpAuthorization: rulesOfOuter, mcpGuardrails, a2a, ai } = outer
  return {
    ...route,
    policies: {
      ...(rulesOfOuter && { mcpAuthorization: rulesOfOuter }),
      ...(mcpGuardrails && { mcpGuardrails }),
      ...(a2a && { a2a }),
      ...(ai && { ai }),
      ...route.policies,
      ...(mcpAuthorization && { mcpAuthorization }),
    },
  }
}

/** The policies of a listener with those that are attached to it. */
const mergeGatewayPolicies = (outer: GatewayPolicies, inner: GatewayPolicies): GatewayPolicies => ({
  ...outer,
  ...inner,
  ...rules(outer, inner),
})

/** The policies of a route with those of what encloses it. */
const mergeRoutePolicies = (outer: RoutePolicies, inner: RoutePolicies): RoutePolicies => ({
  ...outer,
  ...inner,
  ...modifiers(outer, inner),
  ...rules(outer, inner),
  ...languageModels(outer, inner),
})

/** The policies of a named backend with those written where it is used. */
export const mergeBackendPolicies = (outer: BackendPolicies, inner: BackendPolicies): BackendPolicies => ({
  ...outer,
  ...inner,
  ...modifiers(outer, inner),
  ...rules(outer, inner),
  ...languageModels(outer, inner),
})

/** Fields of bodies add up, one by one. */
const languageModels = (outer: { readonly ai?: LlmPolicy }, inner: { readonly ai?: LlmPolicy }) =>
  outer.ai && inner.ai && { ai: mergeLlmPolicies(outer.ai, inner.ai) }

interface Authorizing {
  readonly authorization?: Authorization
  readonly mcpAuthorization?: Authorization
}

const rules = (outer: Authorizing, inner: Authorizing): Authorizing => {
  const authorization = allRules(outer.authorization, inner.authorization)
  const mcpAuthorization = allRules(outer.mcpAuthorization, inner.mcpAuthorization)
  return { ...(authorization && { authorization }), ...(mcpAuthorization && { mcpAuthorization }) }
}

const allRules = (
  outer: Authorization | undefined,
  inner: Authorization | undefined,
): Authorization | undefined => outer && inner && { rules: [...outer.rules, ...inner.rules] }

interface Modifying {
  readonly requestHeaderModifier?: HeaderModifier
  readonly responseHeaderModifier?: HeaderModifier
}

const modifiers = (outer: Modifying, inner: Modifying): Modifying => {
  const request = both(outer.requestHeaderModifier, inner.requestHeaderModifier)
  const response = both(outer.responseHeaderModifier, inner.responseHeaderModifier)
  return {
    ...(request && { requestHeaderModifier: request }),
    ...(response && { responseHeaderModifier: response }),
  }
}

const both = (
  outer: HeaderModifier | undefined,
  inner: HeaderModifier | undefined,
): HeaderModifier | undefined => {
  if (!outer || !inner) return inner ?? outer
  return {
    add: [...outer.add, ...inner.add],
    set: [...outer.set, ...inner.set],
    remove: [...outer.remove, ...inner.remove],
  }
}
