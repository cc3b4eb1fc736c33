import type * as File from '../../../config/schema/file-types.gen.ts'
import type { GRPCRouteMatch } from '../../kinds/grpc-route.ts'
import { patternMatch } from './pattern-match.ts'
import { headerMatches } from './route-match.ts'
import { addUnsupported, type RuleContext } from './rule-context.ts'

type MethodMatch = NonNullable<GRPCRouteMatch['method']>

/**
 * The matches of a gRPC rule, as those of an HTTP rule: a method is a path. They are written so that the precedence of
 * paths is that of gRPC routes: characters of the service, then those of the method, then the number of headers.
 */
export const grpcMatches = (
  matches: readonly GRPCRouteMatch[] | undefined,
  context: RuleContext,
): readonly File.Match[] =>
  (matches?.length ? matches : [{}]).flatMap(({ method, headers }) => {
    const before = context.problems.length
    const { headers: ofMethod = [], ...rest } = methodMatch(method ?? {}, context)
    const all = [...ofMethod, ...headerMatches(headers ?? [], context)]
    return context.problems.length === before
      ? [{ ...rest, ...(all.length > 0 ? { headers: all } : {}) }]
      : []
  })

const methodMatch = (match: MethodMatch, context: RuleContext): File.Match => {
  const { type = 'Exact' } = match
  const service = match.service === '' ? undefined : match.service
  const method = match.method === '' ? undefined : match.method
  if (type !== 'Exact' && type !== 'RegularExpression')
    addUnsupported(context, `method match type "${type}" is not supported`)
  for (const part of [service, method])
    if (type === 'Exact' && part?.includes('/') === true)
      addUnsupported(context, `"${part}" is not the name of a gRPC service or method`)
  const part = (text: string): string => (type === 'Exact' ? escaped(text) : `(?:${inner(text, context)})`)
  if (service === undefined) return method === undefined ? { path: ANY } : anyService(part(method))
  if (type === 'Exact')
    return { path: method === undefined ? { pathPrefix: `/${service}` } : { exact: `/${service}/${method}` } }
  return { path: { regex: `/${part(service)}/${method === undefined ? '[^/]+' : part(method)}` } }
}

/**
 * The method of any service. As a regular expression of the path it would precede services of shorter names; so it
 * precedes, by the HTTP method that all calls have, only matches without service and method.
 */
const anyService = (method: string): File.Match => ({
  path: ANY,
  method: 'POST',
  headers: [{ name: ':path', value: { regex: `/[^/]+/${method}(?:\\?.*)?` } }],
})

/** A regular expression as a part of another one, which matches as a whole: it needs no anchors, and may have them. */
const inner = (text: string, context: RuleContext): string =>
  patternMatch(text, 'method', context)
    .replace(/^\^/, '')
    .replace(/(?<=(?:^|[^\\])(?:\\\\)*)\$$/, '')

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

const ANY: File.PathMatch = { pathPrefix: '/' }
