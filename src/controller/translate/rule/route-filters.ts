import type * as File from '../../../config/schema/file-types.gen.ts'
import type { HTTPRouteFilter, HTTPRouteRule } from '../../kinds/http-route.ts'
import type { RequestRouteKind } from '../route/route-id.ts'
import { corsFilter } from './cors-filter.ts'
import { headerChanges } from './header-changes.ts'
import { redirectFilter, rewriteFilter } from './path-changes.ts'
import { requestMirrors } from './request-mirrors.ts'
import { addUnsupported, type RuleContext } from './rule-context.ts'

/** The policies that filters stand for. */
export type FilterPolicies = Pick<
  File.RoutePolicies,
  | 'requestHeaderModifier'
  | 'responseHeaderModifier'
  | 'requestRedirect'
  | 'urlRewrite'
  | 'requestMirror'
  | 'cors'
>

/** The policies of the filters of a rule. Filters that cannot be applied are recorded as problems, not skipped. */
export const routeFilters = (
  filters: readonly HTTPRouteFilter[],
  matches: HTTPRouteRule['matches'],
  context: RequestRuleContext,
): FilterPolicies => {
  checkTypes(filters, ruleFilters[context.kind], 'a rule', context)
  const requestHeaders = present(filters, 'requestHeaderModifier')
  const responseHeaders = present(filters, 'responseHeaderModifier')
  const mirrors = requestMirrors(present(filters, 'requestMirror'), context)
  const [redirected] = present(filters, 'requestRedirect')
  const [rewritten] = present(filters, 'urlRewrite')
  const [cors] = present(filters, 'cors')
  return {
    ...(requestHeaders.length > 0 ? { requestHeaderModifier: headerChanges(requestHeaders, context) } : {}),
    ...(responseHeaders.length > 0
      ? { responseHeaderModifier: headerChanges(responseHeaders, context) }
      : {}),
    ...(redirected
      ? { requestRedirect: redirectFilter(redirected, matches, context) }
      : { urlRewrite: rewriteFilter(rewritten ?? {}, matches, context) }),
    ...(mirrors.length > 0 ? { requestMirror: [...mirrors] } : {}),
    ...(cors ? { cors: corsFilter(cors, context) } : {}),
  }
}

/** As `routeFilters`, of the filters of one backend. */
export const backendFilters = (
  filters: readonly HTTPRouteFilter[],
  matches: HTTPRouteRule['matches'],
  context: RequestRuleContext,
): Omit<FilterPolicies, 'urlRewrite' | 'cors'> => {
  const types = backendFilterTypes[context.kind]
  checkTypes(filters, types, 'a backend reference', context)
  const supported = filters.filter(({ type }) => types.has(type))
  const { urlRewrite: _, cors: __, ...policies } = routeFilters(supported, matches, context)
  return policies
}

const checkTypes = (
  filters: readonly HTTPRouteFilter[],
  supported: ReadonlySet<string>,
  of: string,
  context: RequestRuleContext,
): void => {
  const { problems } = context
  const types = filters.map(({ type }) => type)
  for (const { type, extensionRef } of filters) {
    if (type === 'ExtensionRef')
      problems.push({
        reason: 'IncompatibleFilters',
        message: `unsupported ExtensionRef: ${extensionRef?.group ?? ''}/${extensionRef?.kind ?? ''}`,
      })
    else if (!supported.has(type)) addUnsupported(context, `filter ${type} of ${of} is not supported`)
  }
  for (const type of ONCE)
    if (types.indexOf(type) !== types.lastIndexOf(type))
      problems.push({ reason: 'IncompatibleFilters', message: `filter ${type} is there more than once` })
  if (types.includes('RequestRedirect') && types.includes('URLRewrite'))
    problems.push({
      reason: 'IncompatibleFilters',
      message: 'RequestRedirect and URLRewrite exclude each other',
    })
}

const present = <Name extends keyof HTTPRouteFilter>(
  filters: readonly HTTPRouteFilter[],
  name: Name,
): readonly NonNullable<HTTPRouteFilter[Name]>[] =>
  filters.map((filter) => filter[name]).filter((one) => one !== undefined)

const ONCE = ['RequestRedirect', 'URLRewrite', 'CORS'] as const

const grpcFilters = ['RequestHeaderModifier', 'ResponseHeaderModifier', 'RequestMirror']
const backendFilterTypes: FilterTypes = {
  GRPCRoute: new Set(grpcFilters),
  HTTPRoute: new Set([...grpcFilters, 'RequestRedirect']),
}
const ruleFilters: FilterTypes = {
  GRPCRoute: backendFilterTypes.GRPCRoute,
  HTTPRoute: new Set([...backendFilterTypes.HTTPRoute, 'URLRewrite', 'CORS']),
}

type RequestRuleContext = RuleContext<RequestRouteKind>
type FilterTypes = Readonly<Record<RequestRouteKind, ReadonlySet<string>>>
