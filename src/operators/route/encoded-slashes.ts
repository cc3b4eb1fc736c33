import type { EncodedSlashes } from '../../model/resources/frontend-policies.ts'
import type { Request } from '../../model/exchange/request.ts'
import { slashReadings } from '../../protocols/http/slash-readings.ts'
import { pathTestOf } from './match.ts'
import type { Routable, RouteTable, Selected } from './table.ts'

/** A route that may configure whether it accepts paths with encoded slashes. */
export interface SlashRoutable extends Routable {
  /** Default: that of the surrounding table. */
  readonly encodedSlashes?: EncodedSlashes | undefined
}

/**
 * Whether a request whose path has an encoded slash may continue to the route that was selected by its path as
 * received.
 */
export type SlashCheck<R> = (selected: Selected<R> | undefined, request: Request) => boolean

/**
 * Compiles that check for a table of routes.
 *
 * The selected route has to keep encoded slashes. A route that refuses them is also protected from spellings that
 * only a server behind another route would decode to its paths: `/%2Fadmin` must not reach `/admin` past the rules of
 * that route. Two cases are exempt: a route that also matches the path as received, because it lost to the selected
 * one by precedence, and a selected exact path, because it is written with the encoded slash.
 *
 * @param otherwise applies to paths without a route, and to routes without a setting
 */
export const slashCheck = <R extends SlashRoutable>(
  table: RouteTable<R>,
  otherwise: EncodedSlashes,
): SlashCheck<R> => {
  const keeps = (route: R): boolean => (route.encodedSlashes ?? otherwise) === 'keep'
  const anyRefuses = !table.routes.every(keeps)
  // Most tables have routes of one kind only, and need none.
  const tested = anyRefuses && table.routes.some(keeps) ? table.routes : []
  const tests = new Map(
    tested.flatMap((route) => route.matches.map((match) => [match, pathTestOf(match.path)] as const)),
  )
  return (selected, request) => {
    if (!selected) return otherwise === 'keep'
    if (!keeps(selected.route)) return false
    if (!anyRefuses || 'exact' in selected.match.path) return true
    const { path } = request
    try {
      return slashReadings(path).every((reading) => {
        // Conditions on `:path` have to see the decoded path too.
        request.path = reading
        const other = table.select(request)
        return !other || keeps(other.route) || tests.get(other.match)?.(path) === true
      })
    } finally {
      request.path = path
    }
  }
}
