import type * as File from '../../../config/schema/file-types.gen.ts'
import { xdsResource } from '../../../config/xds/xds-resource.ts'
import { patternLimits } from '../../../protocols/pattern/pattern-size.ts'
import { defineQuery, type GraphReads, type Query } from '../../graph/query.ts'
import type { HTTPBackendRef, HTTPRoute, HTTPRouteMatch, HTTPRouteRule } from '../../kinds/http-route.ts'
import { attempt } from '../attempt.ts'
import { serviceReference } from '../backend/backend-reference.ts'
import { proxyRefusal } from '../proxy-check.ts'
import { retryPolicy, timeoutPolicy } from './attempts.ts'
import { backendFilters, routeFilters } from './route-filters.ts'
import { routeMatches } from './route-match.ts'
import { addUnsupported, type ReferenceProblem, type RuleContext, type RuleProblem } from './rule-context.ts'
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
  /** What the conversion has thrown: a mistake of the translation, or an object of a shape that its definition forbids. */
  readonly failure?: unknown
}

/** The rules of an HTTPRoute, by its key. They do not depend on the Gateways that serve them. */
export const httpRouteRules: Query<readonly ConvertedRule[]> = defineQuery('httpRouteRules', (reads, key) => {
  const route = reads.object('HTTPRoute', key)
  if (!route) return []
  const patterns = { left: patternLimits.sum }
  return (route.spec.rules ?? []).map((rule, index) => {
    const converted = attempt(() => convertedRule(reads, route, rule, index, patterns))
    return converted.value ?? failedRule(reads, route, rule, index, converted.failure)
  })
})

const convertedRule = (
  reads: GraphReads,
  route: HTTPRoute,
  rule: HTTPRouteRule,
  index: number,
  patterns: RuleContext['patterns'],
): ConvertedRule => {
  const context = ruleContext(reads, route, patterns)
  const matches = routeMatches(rule.matches, context)
  const policies = rulePolicies(rule, context)
  const backends = ruleBackends(rule, context)
  const served = ruleModel(route, rule, index, matches, {
    ...(Object.keys(policies).length > 0 ? { policies } : {}),
    ...(policies.requestRedirect ? {} : { backends }),
  })
  if (served && context.problems.length === 0) {
    const refusal = proxyRefusal(xdsResource('route', '', served))
    if (refusal !== undefined) addUnsupported(context, refusal)
  }
  const { problems, referenceProblems, services } = context
  const isServed = problems.length === 0
  return {
    index,
    model: isServed ? served : brokenModel(route, rule, index, matches),
    problems,
    referenceProblems,
    services: isServed ? [...services] : [],
  }
}

/**
 * A rule that nobody foresaw replies 500 where it can be said which requests are its own: without it, they would reach
 * what other rules and routes have for them.
 */
const failedRule = (
  reads: GraphReads,
  route: HTTPRoute,
  rule: HTTPRouteRule,
  index: number,
  failure: unknown,
): ConvertedRule => {
  const context = ruleContext(reads, route, { left: patternLimits.sum })
  const one = (match: HTTPRouteMatch) => attempt(() => routeMatches([match], context)).value ?? []
  const matches = attempt(() => (rule.matches?.length ? rule.matches : [{}]).flatMap(one)).value ?? []
  return {
    index,
    model: attempt(() => brokenModel(route, rule, index, matches)).value,
    problems: [{ reason: 'TranslationError', message: 'cannot be translated; the log has the error' }],
    referenceProblems: [],
    services: [],
    failure,
  }
}

const ruleContext = (
  reads: GraphReads,
  { metadata }: HTTPRoute,
  patterns: RuleContext['patterns'],
): RuleContext => ({
  reads,
  kind: 'HTTPRoute',
  namespace: metadata.namespace ?? '',
  patterns,
  problems: [],
  referenceProblems: [],
  services: new Set(),
})

/** A rule with matches that proxies take, and no policies: it replies 500. Matches that they refuse are left out. */
const brokenModel = (
  route: HTTPRoute,
  rule: HTTPRouteRule,
  index: number,
  matches: readonly File.Match[],
): File.Route | undefined => {
  const broken = (kept: readonly File.Match[]) => ruleModel(route, rule, index, kept, { backends: [BROKEN] })
  const isTaken = (kept: readonly File.Match[]): boolean => {
    const model = broken(kept)
    return model !== undefined && proxyRefusal(xdsResource('route', '', model)) === undefined
  }
  return isTaken(matches) ? broken(matches) : broken(matches.filter((match) => isTaken([match])))
}

const ruleModel = (
  { metadata, spec }: HTTPRoute,
  rule: HTTPRouteRule,
  index: number,
  matches: readonly File.Match[],
  rest: Pick<File.Route, 'policies' | 'backends'>,
): File.Route | undefined => {
  if (matches.length === 0) return undefined
  const { name, namespace = '', creationTimestamp = EPOCH } = metadata
  return {
    name,
    namespace,
    ...(rule.name === undefined ? {} : { ruleName: rule.name }),
    precedence: { createdAt: creationTimestamp, namespace, name, rule: index },
    ...(spec.hostnames?.length ? { hostnames: [...spec.hostnames] } : {}),
    matches: [...matches],
    ...rest,
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
