import type * as File from '../../../config/schema/file-types.gen.ts'
import { xdsResource } from '../../../config/xds/xds-resource.ts'
import { patternLimits } from '../../../protocols/pattern/pattern-size.ts'
import { defineQuery, type GraphReads, type Query } from '../../graph/query.ts'
import type { GRPCRoute, GRPCRouteRule } from '../../kinds/grpc-route.ts'
import type { HTTPBackendRef, HTTPRoute, HTTPRouteRule } from '../../kinds/http-route.ts'
import { attempt } from '../attempt.ts'
import { serviceReference } from '../backend/backend-reference.ts'
import { isPoolReference, poolReference } from '../inference/pool-reference.ts'
import { proxyRefusal } from '../proxy-check.ts'
import { parseRouteId } from '../route/route-id.ts'
import { retryPolicy, timeoutPolicy } from './attempts.ts'
import { grpcMatches } from './grpc-match.ts'
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
  /** The same of InferencePools. */
  readonly pools: readonly string[]
  /** What the conversion has thrown: a mistake of the translation, or an object of a shape that its definition forbids. */
  readonly failure?: unknown
}

/** The rules of a route, by its id. They do not depend on the Gateways that serve them. */
export const routeRules: Query<readonly ConvertedRule[]> = defineQuery('routeRules', (reads, id) => {
  const patterns = { left: patternLimits.sum }
  return rulesOf(reads, id).map((source) => {
    const converted = attempt(() => convertedRule(reads, source, patterns))
    return converted.value ?? failedRule(reads, source, converted.failure)
  })
})

/** A rule, and the route that has it. */
type RuleSource = { readonly index: number } & (
  | { readonly kind: 'HTTPRoute'; readonly route: HTTPRoute; readonly rule: HTTPRouteRule }
  | { readonly kind: 'GRPCRoute'; readonly route: GRPCRoute; readonly rule: GRPCRouteRule }
)

const rulesOf = (reads: GraphReads, id: string): readonly RuleSource[] => {
  const { kind, key } = parseRouteId(id)
  if (kind === 'HTTPRoute') {
    const route = reads.object(kind, key)
    return route ? (route.spec.rules ?? []).map((rule, index) => ({ kind, route, rule, index })) : []
  }
  const route = reads.object(kind, key)
  return route ? (route.spec.rules ?? []).map((rule, index) => ({ kind, route, rule, index })) : []
}

const convertedRule = (
  reads: GraphReads,
  source: RuleSource,
  patterns: RuleContext['patterns'],
): ConvertedRule => {
  const context = ruleContext(reads, source, patterns)
  const matches = ruleMatches(source, context)
  const backends = ruleBackends(source, context)
  const policies = { ...poolPolicies(backends, context), ...rulePolicies(source, context) }
  const served = ruleModel(source, matches, {
    ...(Object.keys(policies).length > 0 ? { policies } : {}),
    ...(policies.requestRedirect ? {} : { backends }),
  })
  if (served && context.problems.length === 0) {
    const refusal = proxyRefusal(xdsResource('route', '', served))
    if (refusal !== undefined) addUnsupported(context, refusal)
  }
  const { problems, referenceProblems, services, pools } = context
  const isServed = problems.length === 0
  return {
    index: source.index,
    model: isServed ? served : brokenModel(source, matches),
    problems,
    referenceProblems,
    services: isServed ? [...services] : [],
    pools: isServed ? [...pools] : [],
  }
}

/**
 * A rule that nobody foresaw replies 500 where it can be said which requests are its own: without it, they would reach
 * what other rules and routes have for them.
 */
const failedRule = (reads: GraphReads, source: RuleSource, failure: unknown): ConvertedRule => {
  const context = ruleContext(reads, source, { left: patternLimits.sum })
  const matches = attempt(() => readableMatches(source, context)).value ?? []
  return {
    index: source.index,
    model: attempt(() => brokenModel(source, matches)).value,
    problems: [{ reason: 'TranslationError', message: 'cannot be translated; the log has the error' }],
    referenceProblems: [],
    services: [],
    pools: [],
    failure,
  }
}

const ruleMatches = ({ kind, rule }: RuleSource, context: RuleContext): readonly File.Match[] =>
  kind === 'HTTPRoute' ? routeMatches(rule.matches, context) : grpcMatches(rule.matches, context)

/** The matches that can be converted, each by itself. */
const readableMatches = (source: RuleSource, context: RuleContext): readonly File.Match[] => {
  const { kind, rule } = source
  if (!rule.matches?.length) return ruleMatches(source, context)
  return kind === 'HTTPRoute'
    ? rule.matches.flatMap((match) => attempt(() => routeMatches([match], context)).value ?? [])
    : rule.matches.flatMap((match) => attempt(() => grpcMatches([match], context)).value ?? [])
}

const ruleContext = (
  reads: GraphReads,
  { kind, route: { metadata } }: RuleSource,
  patterns: RuleContext['patterns'],
): RuleContext => ({
  reads,
  kind,
  namespace: metadata.namespace ?? '',
  patterns,
  problems: [],
  referenceProblems: [],
  services: new Set(),
  pools: new Set(),
})

/** A rule with matches that proxies take, and no policies: it replies 500. Matches that they refuse are left out. */
const brokenModel = (source: RuleSource, matches: readonly File.Match[]): File.Route | undefined => {
  const broken = (kept: readonly File.Match[]) => ruleModel(source, kept, { backends: [BROKEN] })
  const isTaken = (kept: readonly File.Match[]): boolean => {
    const model = broken(kept)
    return model !== undefined && proxyRefusal(xdsResource('route', '', model)) === undefined
  }
  return isTaken(matches) ? broken(matches) : broken(matches.filter((match) => isTaken([match])))
}

const ruleModel = (
  { kind, route: { metadata, spec }, rule, index }: RuleSource,
  matches: readonly File.Match[],
  rest: Pick<File.Route, 'policies' | 'backends'>,
): File.Route | undefined => {
  if (matches.length === 0) return undefined
  const { name, namespace = '', creationTimestamp = EPOCH } = metadata
  return {
    name,
    namespace,
    ...(kind === 'HTTPRoute' ? {} : { kind }),
    ...(rule.name === undefined ? {} : { ruleName: rule.name }),
    precedence: { createdAt: creationTimestamp, namespace, name, rule: index },
    ...(spec.hostnames?.length ? { hostnames: [...spec.hostnames] } : {}),
    matches: [...matches],
    ...rest,
  }
}

const rulePolicies = (source: RuleSource, context: RuleContext): File.RoutePolicies => {
  const { kind, rule } = source
  const timeout = kind === 'HTTPRoute' ? timeoutPolicy(rule.timeouts, context) : undefined
  const retry = kind === 'HTTPRoute' ? retryPolicy(rule.retry, context) : undefined
  return {
    ...routeFilters(rule.filters ?? [], pathMatches(source), context),
    ...(timeout ? { timeout } : {}),
    ...(retry ? { retry } : {}),
    ...sessionPolicies(rule.sessionPersistence, context),
  }
}

/**
 * Pools are drawn by lot: with a fixed order, some sequences of requests would never come, such as three in a row for a
 * pool with a small weight.
 */
const poolPolicies = (
  backends: readonly File.RouteBackend[],
  { pools }: RuleContext,
): Pick<File.RoutePolicies, 'loadBalancing'> =>
  pools.size > 0 && backends.length > 1 ? { loadBalancing: { random: {} } } : {}

/** What changes of paths depend on; gRPC routes have none. */
const pathMatches = ({ kind, rule }: RuleSource): HTTPRouteRule['matches'] =>
  kind === 'HTTPRoute' ? rule.matches : undefined

/**
 * References that lead nowhere keep their weight and reply 500, as does a rule without backends; gRPC clients get the
 * status UNAVAILABLE.
 */
const ruleBackends = (source: RuleSource, context: RuleContext): File.RouteBackend[] => {
  const { backendRefs } = source.rule
  if (!backendRefs?.length) return [BROKEN]
  return backendRefs.map((reference) => ruleBackend(reference, pathMatches(source), context))
}

const ruleBackend = (
  reference: HTTPBackendRef,
  matches: HTTPRouteRule['matches'],
  context: RuleContext,
): File.RouteBackend => {
  const { weight = 1, filters = [] } = reference
  const service = isPoolReference(reference, context)
    ? poolReference(reference, context)
    : serviceReference(reference, context)
  const policies = backendFilters(filters, matches, context)
  return {
    ...(weight === 1 ? {} : { weight }),
    ...(service ? { service } : { invalid: null }),
    ...(service && Object.keys(policies).length > 0 ? { policies } : {}),
  }
}

const BROKEN: File.RouteBackend = { invalid: null }
const EPOCH = '1970-01-01T00:00:00Z'
