import type * as File from '../../../config/schema/file-types.gen.ts'
import { formats } from '../../../config/format/formats.ts'
import type { HTTPRouteMatch, ValueMatch } from '../../kinds/http-route.ts'
import { patternMatch } from './pattern-match.ts'
import { addUnsupported, type RuleContext } from './rule-context.ts'

/**
 * The matches of a rule that requests can be compared with; the others are recorded as problems. A rule without matches
 * serves all paths.
 */
export const routeMatches = (
  matches: readonly HTTPRouteMatch[] | undefined,
  context: RuleContext,
): readonly File.Match[] =>
  (matches?.length ? matches : [{}]).flatMap((match) => {
    const before = context.problems.length
    const converted = routeMatch(match, context)
    return context.problems.length === before ? [converted] : []
  })

const routeMatch = (
  { path, method, headers, queryParams }: HTTPRouteMatch,
  context: RuleContext,
): File.Match => ({
  path: pathMatch(path?.type ?? 'PathPrefix', path?.value ?? '/', context),
  ...(method === undefined ? {} : { method: checkedFormat('method', method, 'method', context) }),
  ...(headers?.length ? { headers: [...headerMatches(headers, context)] } : {}),
  ...(queryParams?.length
    ? {
        query: firstByName(queryParams, (name) => name).map((parameter) => ({
          name: parameter.name,
          value: valueMatch(parameter, 'query parameter', context),
        })),
      }
    : {}),
})

/** Matches of headers. */
export const headerMatches = (
  headers: readonly ValueMatch[],
  context: RuleContext,
): NonNullable<File.Match['headers']> =>
  firstByName(headers, (name) => name.toLowerCase()).map((header) => ({
    name: checkedFormat('headerOrPseudo', header.name, 'header name', context).toLowerCase(),
    value: valueMatch(header, 'header', context),
  }))

const pathMatch = (type: string, value: string, context: RuleContext): File.PathMatch => {
  switch (type) {
    case 'Exact':
      return { exact: checkedFormat('matchPath', rooted(value), 'path', context) }
    case 'PathPrefix':
      return { pathPrefix: checkedFormat('matchPath', withoutSlashes(rooted(value)), 'path', context) }
    case 'RegularExpression':
      return { regex: patternMatch(value, 'path', context) }
    default:
      addUnsupported(context, `path match type "${type}" is not supported`)
      return { pathPrefix: '/' }
  }
}

const valueMatch = (
  { type = 'Exact', value }: ValueMatch,
  what: string,
  context: RuleContext,
): { readonly exact: string } | { readonly regex: string } => {
  if (type === 'RegularExpression') return { regex: patternMatch(value, what, context) }
  if (type !== 'Exact') addUnsupported(context, `${what} match type "${type}" is not supported`)
  return { exact: value }
}

/** Of several conditions for a name, the first one counts. */
const firstByName = <T extends { readonly name: string }>(
  list: readonly T[],
  fold: (name: string) => string,
): readonly T[] => {
  const seen = new Set<string>()
  return list.filter(({ name }) => {
    const folded = fold(name)
    const isFirst = !seen.has(folded)
    seen.add(folded)
    return isFirst
  })
}

const rooted = (path: string): string => (path.startsWith('/') ? path : `/${path}`)

const withoutSlashes = (path: string): string => path.replace(/\/+$/, '') || '/'

/** The text, whose format is checked as in a configuration file. */
export const checkedFormat = (
  format: keyof typeof formats,
  text: string,
  what: string,
  context: RuleContext,
): string => {
  const complaint = formats[format]?.(text)
  if (complaint) addUnsupported(context, `${what} "${text}" ${complaint.expectation}`)
  return text
}
