import type { EncodedSlashes } from '../../model/resources/frontend-policies.ts'
import type { Request } from '../../model/exchange/request.ts'
import type { PathMatch } from '../../model/resources/resources.ts'
import { slashReadings } from '../../protocols/http/slash-readings.ts'
import { pattern } from '../../protocols/pattern/pattern.ts'
import { trimSlash } from './match.ts'
import type { Routable, RouteTable, Selected } from './table.ts'

/** A route that may say whether it takes paths with encoded slashes. */
export interface SlashRoutable extends Routable {
  /** Without it the route takes what the routes around it take. */
  readonly encodedSlashes?: EncodedSlashes | undefined
}

/** Whether a request whose path has an encoded slash may go on to the route that its path, as it came, belongs to. */
export type SlashCheck<R> = (selected: Selected<R> | undefined, request: Request) => boolean

/**
 * Compiles that check for a table of routes.
 *
 * The chosen route has to keep encoded slashes. A route that refuses them is protected as well from spellings that only
 * a server behind another route would read as its own paths: `/files%2F..` aside, `/%2Fadmin` is no way to `/admin`
 * past the rules of that route. A route that matches the path as it came as well has lost to the chosen one by
 * precedence, and an exact path that is written with an encoded slash means it: neither is asked again.
 *
 * @param otherwise what holds for paths without a route, and for routes that say nothing
 */
export const slashCheck = <R extends SlashRoutable>(
  table: RouteTable<R>,
  otherwise: EncodedSlashes,
): SlashCheck<R> => {
  const keeps = (route: R): boolean => (route.encodedSlashes ?? otherwise) === 'keep'
  const tests = new Map(
    table.routes.flatMap((route) => route.matches.map((match) => [match, pathTest(match.path)] as const)),
  )
  const anyRefuses = !table.routes.every(keeps)
  return (selected, request) => {
    if (!selected) return otherwise === 'keep'
    if (!keeps(selected.route)) return false
    if (!anyRefuses || 'exact' in selected.match.path) return true
    const { path } = request
    try {
      return slashReadings(path).every((reading) => {
        // Conditions on `:path` have to see the reading too.
        request.path = reading
        const other = table.select(request)
        return !other || keeps(other.route) || tests.get(other.match)?.(path) === true
      })
    } finally {
      request.path = path
    }
  }
}

const pathTest = (match: PathMatch): ((path: string) => boolean) => {
  if ('regex' in match) return pattern(match.regex)
  if ('exact' in match) return (path) => path === match.exact
  const folder = trimSlash(match.pathPrefix)
  return (path) => path === folder || path.startsWith(`${folder}/`)
}
