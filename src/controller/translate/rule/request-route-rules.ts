import type * as File from '../../../config/schema/file-types.gen.ts'
import { xdsResource } from '../../../config/xds/xds-resource.ts'
import { patternLimits } from '../../../protocols/pattern/pattern-size.ts'
import type { GraphReads } from '../../graph/query.ts'
import type { GRPCRoute, GRPCRouteRule } from '../../kinds/grpc-route.ts'
import type { HTTPBackendRef, HTTPRoute, HTTPRouteRule } from '../../kinds/http-route.ts'
import { attempt } from '../attempt.ts'
import { delegationReference, isDelegation } from '../delegation/delegation-reference.ts'
import { backendReference } from '../backend/backend-reference.ts'
import { isPoolReference, poolReference } from '../inference/pool-reference.ts'
import { modelBackend, modelPaths } from '../model/model-backend.ts'
import { proxyRefusal } from '../proxy-check.ts'
import type { RequestRouteKind } from '../route/route-id.ts'
import { retryPolicy, timeoutPolicy } from './attempts.ts'
import { type ConvertedRule, untranslatedRule } from './converted-rule.ts'
import { grpcMatches } from './grpc-match.ts'
import { backendFilters, routeFilters } from './route-filters.ts'
import { routeMatches } from './route-match.ts'
import { addUnsupported, ruleContext, type RuleContext } from './rule-context.ts'
import { ruleIdentity } from './rule-identity.ts'
import { sessionPolicies } from './session-persistence.ts'

/** The rules of a route of requests. */
export const requestRouteRules = (
  reads: GraphReads,
  kind: RequestRouteKind,
  key: string,
): readonly ConvertedRule[] => {
  const patterns = { left: patternLimits.sum }
  return rulesOf(reads, kind, key).map((source) => {
    const converted = attempt(() => convertedRule(reads, source, patterns))
    return converted.value ?? failedRule(reads, source, converted.failure)
  })
}

/** A rule, and the route that has it. */
type RuleSource = { readonly index: number } & (
  | { readonly kind: 'HTTPRoute'; readonly route: HTTPRoute; readonly rule: HTTPRouteRule }
  | { readonly kind: 'GRPCRoute'; readonly route: GRPCRoute; readonly rule: GRPCRouteRule }
)

const rulesOf = (reads: GraphReads, kind: RequestRouteKind, key: string): readonly RuleSource[] => {
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
  const context = ruleContext(reads, source.kind, source.route, patterns)
  const matches = ruleMatches(source, context)
  const backends = ruleBackends(source, context)
  const policies = {
    ...poolPolicies(backends, context),
    ...rulePolicies(source, context),
    ...modelPaths(backends),
  }
  const served = ruleModel(source, matches, {
    ...(Object.keys(policies).length > 0 ? { policies } : {}),
    ...(policies.requestRedirect ? {} : { backends }),
  })
  if (served && context.problems.length === 0) {
    const refusal = proxyRefusal(xdsResource('route', '', served))
    if (refusal !== undefined) addUnsupported(context, refusal)
  }
  const { problems, referenceProblems, services, pools, backends: reached, groups } = context
  const isServed = problems.length === 0
  return {
    index: source.index,
    resource: resourceOf(isServed ? served : brokenModel(source, matches)),
    problems,
    referenceProblems,
    services: isServed ? [...services] : [],
    pools: isServed ? [...pools] : [],
    backends: isServed ? [...reached] : [],
    groups: isServed ? [...groups] : [],
  }
}

/**
 * A rule whose translation has thrown replies 500 where it can be said which requests are its own: without it, they would
 * reach what other rules and routes have for them.
 */
const failedRule = (reads: GraphReads, source: RuleSource, failure: unknown): ConvertedRule => {
  const context = ruleContext(reads, source.kind, source.route)
  const matches = attempt(() => readableMatches(source, context)).value ?? []
  const resource = resourceOf(attempt(() => brokenModel(source, matches)).value)
  return untranslatedRule(source.index, resource, failure)
}

const resourceOf = (model: File.Route | undefined): ConvertedRule['resource'] =>
  model && { kind: 'route', model }

const ruleMatches = ({ kind, rule }: RuleSource, context: RequestRuleContext): readonly File.Match[] =>
  kind === 'HTTPRoute' ? routeMatches(rule.matches, context) : grpcMatches(rule.matches, context)

/** The matches that can be converted, each by itself. */
const readableMatches = (source: RuleSource, context: RequestRuleContext): readonly File.Match[] => {
  const { kind, rule } = source
  if (!rule.matches?.length) return ruleMatches(source, context)
  return kind === 'HTTPRoute'
    ? rule.matches.flatMap((match) => attempt(() => routeMatches([match], context)).value ?? [])
    : rule.matches.flatMap((match) => attempt(() => grpcMatches([match], context)).value ?? [])
}

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
  { kind, route, rule, index }: RuleSource,
  matches: readonly File.Match[],
  rest: Pick<File.Route, 'policies' | 'backends'>,
): File.Route | undefined => {
  if (matches.length === 0) return undefined
  const { hostnames } = route.spec
  return {
    ...ruleIdentity(route, rule.name, index),
    ...(kind === 'HTTPRoute' ? {} : { kind }),
    ...(hostnames?.length ? { hostnames: [...hostnames] } : {}),
    matches: [...matches],
    ...rest,
  }
}

const rulePolicies = (source: RuleSource, context: RequestRuleContext): File.RoutePolicies => {
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
  { pools }: RequestRuleContext,
): Pick<File.RoutePolicies, 'loadBalancing'> =>
  pools.size > 0 && backends.length > 1 ? { loadBalancing: { random: {} } } : {}

/** What changes of paths depend on; gRPC routes have none. */
const pathMatches = ({ kind, rule }: RuleSource): HTTPRouteRule['matches'] =>
  kind === 'HTTPRoute' ? rule.matches : undefined

/**
 * References that lead nowhere keep their weight and reply 500, as does a rule without backends; gRPC clients get the
 * status UNAVAILABLE.
 */
const ruleBackends = (source: RuleSource, context: RequestRuleContext): File.RouteBackend[] => {
  const { backendRefs } = source.rule
  if (!backendRefs?.length) return [BROKEN]
  const models = source.kind === 'HTTPRoute' && modelBackend(source.route, source.rule, source.index, context)
  if (models) return [models]
  return backendRefs.map((reference) =>
    isDelegation(reference, context)
      ? delegatingBackend(reference, source, context)
      : ruleBackend(reference, pathMatches(source), context),
  )
}

const delegatingBackend = (
  reference: HTTPBackendRef,
  { route, rule }: RuleSource,
  context: RequestRuleContext,
): File.RouteBackend => ({
  ...weightOf(reference),
  ...(delegationReference(reference, { routeName: route.metadata.name, ruleName: rule.name }, context) ??
    BROKEN),
})

const weightOf = ({ weight = 1 }: HTTPBackendRef): Pick<File.RouteBackend, 'weight'> =>
  weight === 1 ? {} : { weight }

const ruleBackend = (
  reference: HTTPBackendRef,
  matches: HTTPRouteRule['matches'],
  context: RequestRuleContext,
): File.RouteBackend => {
  const { filters = [] } = reference
  const backend = isPoolReference(reference, context.reads)
    ? poolBackend(reference, context)
    : backendReference(reference, context)
  const policies = backendFilters(filters, matches, context)
  return {
    ...weightOf(reference),
    ...(backend ?? BROKEN),
    ...(backend && Object.keys(policies).length > 0 ? { policies } : {}),
  }
}

const poolBackend = (
  reference: HTTPBackendRef,
  context: RequestRuleContext,
): Pick<File.RouteBackend, 'service'> | undefined => {
  const service = poolReference(reference, context)
  return service && { service }
}

type RequestRuleContext = RuleContext<RequestRouteKind>

const BROKEN: File.RouteBackend = { invalid: null }
