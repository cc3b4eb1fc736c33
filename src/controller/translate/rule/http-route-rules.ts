import type * as File from '../../../config/schema/file-types.gen.ts'
import { defineQuery, type Query } from '../../graph/query.ts'
import type { HTTPBackendRef, HTTPRoute, HTTPRouteRule } from '../../kinds/http-route.ts'
import { serviceReference } from '../backend/backend-reference.ts'
import { retryPolicy, timeoutPolicy } from './attempts.ts'
import { backendFilters, routeFilters } from './route-filters.ts'
import { routeMatches } from './route-match.ts'
import type { ReferenceProblem, RuleContext, RuleProblem } from './rule-context.ts'
import { sessionPolicies } from './session-persistence.ts'

/** A rule of a route, converted. */
export interface ConvertedRule {
  readonly index: number
  /** Absent if there is no request that it could serve. */
  readonly model: File.Route | undefined
  /** If there are any, the model replies 500. */
  readonly problems: readonly RuleProblem[]
  readonly referenceProblems: readonly ReferenceProblem[]
  /** Keys of the Services that it sends requests to. */
  readonly services: readonly string[]
}

/** The rules of an HTTPRoute, by its key. They do not depend on the Gateways that serve them. */
export const httpRouteRules: Query<readonly ConvertedRule[]> = defineQuery('httpRouteRules', (reads, key) => {
  const route = reads.object('HTTPRoute', key)
  return (route?.spec.rules ?? []).map((rule, index) => {
    const context: RuleContext = {
      reads,
      kind: 'HTTPRoute',
      namespace: route?.metadata.namespace ?? '',
      problems: [],
      referenceProblems: [],
      services: new Set(),
    }
    const model = route && ruleModel(route, rule, index, context)
    const { problems, referenceProblems, services } = context
    return { index, model, problems, referenceProblems, services: [...services] }
  })
})

const ruleModel = (
  { metadata, spec }: HTTPRoute,
  rule: HTTPRouteRule,
  index: number,
  context: RuleContext,
): File.Route | undefined => {
  const matches = routeMatches(rule.matches, context)
  const policies = rulePolicies(rule, context)
  const backends = ruleBackends(rule, context)
  const isServed = context.problems.length === 0
  if (!isServed) context.services.clear()
  if (matches.length === 0) return undefined
  const { name, namespace = '', creationTimestamp = EPOCH } = metadata
  return {
    name,
    namespace,
    ...(rule.name === undefined ? {} : { ruleName: rule.name }),
    precedence: { createdAt: creationTimestamp, namespace, name, rule: index },
    ...(spec.hostnames?.length ? { hostnames: [...spec.hostnames] } : {}),
    matches: [...matches],
    ...(isServed && Object.keys(policies).length > 0 ? { policies } : {}),
    ...(isServed ? (policies.requestRedirect ? {} : { backends }) : { backends: [BROKEN] }),
  }
}

const rulePolicies = (rule: HTTPRouteRule, context: RuleContext): File.RoutePolicies => {
  const timeout = timeoutPolicy(rule.timeouts, context)
  const retry = retryPolicy(rule.retry, context)
  return {
    ...routeFilters(rule.filters ?? [], rule.matches, context),
    ...(timeout ? { timeout } : {}),
    ...(retry ? { retry } : {}),
    ...sessionPolicies(rule.sessionPersistence, context),
  }
}

/** References that lead nowhere keep their weight and reply 500, as does a rule without backends. */
const ruleBackends = ({ backendRefs, matches }: HTTPRouteRule, context: RuleContext): File.RouteBackend[] =>
  backendRefs?.length ? backendRefs.map((reference) => ruleBackend(reference, matches, context)) : [BROKEN]

const ruleBackend = (
  reference: HTTPBackendRef,
  matches: HTTPRouteRule['matches'],
  context: RuleContext,
): File.RouteBackend => {
  const { weight = 1, filters = [] } = reference
  const service = serviceReference(reference, context)
  const policies = backendFilters(filters, matches, context)
  return {
    ...(weight === 1 ? {} : { weight }),
    ...(service ? { service } : { invalid: null }),
    ...(service && Object.keys(policies).length > 0 ? { policies } : {}),
  }
}

const BROKEN: File.RouteBackend = { invalid: null }
const EPOCH = '1970-01-01T00:00:00Z'
