import type { Request } from '../../model/exchange/request.ts'
import type { Match } from '../../model/resources/resources.ts'
import { firstMismatch, type Mismatch } from './mismatch.ts'
import { byPrecedence, hostSpecificity, precedenceOver } from './precedence.ts'
import type { Routable } from './table.ts'

/** A route with the key by which people know it. */
export interface NamedRoute extends Routable {
  readonly key: string
}

/**
 * Why other routes were not selected, by key: for people who watch, not for the path of a request. Only of the first
 * 32, which take some 40 µs of a watched request. Values of query parameters are left out, because they may be
 * credentials.
 */
export const notSelected = (
  routes: readonly NamedRoute[],
  selected: NamedRoute | undefined,
  request: Request,
): Readonly<Record<string, string>> => {
  const reasons: Record<string, string> = {}
  const others = routes.slice(0, EXPLAINED_ROUTES + 1).filter(({ key }) => key !== selected?.key)
  for (const route of others.slice(0, EXPLAINED_ROUTES))
    reasons[route.key] = whyNotSelected(route, selected, request, 'withoutQuery')
  return reasons
}

const EXPLAINED_ROUTES = 32

/** Why a route was not selected, in one line that may quote the request. */
export const whyNotSelected = (
  route: NamedRoute,
  selected: NamedRoute | undefined,
  request: Request,
  quoted: 'all' | 'withoutQuery' = 'all',
): string => {
  const specificity = hostSpecificity(route.hostnames, request.host)
  if (specificity === undefined)
    return `host: ${request.host || 'none'} is not among its host names (${route.hostnames.join(', ')})`
  const own = matchedBy(route, request)
  if (!own) return mismatches(route, request, quoted)
  const winner = selected && matchedBy(selected, request)
  if (!selected || !winner) return 'precedence: another route matches'
  if (specificity < (hostSpecificity(selected.hostnames, request.host) ?? 0))
    return `precedence: it matches, but ${selected.key} has a more specific host name`
  const criterion = precedenceOver(winner, own)
  return criterion === undefined
    ? `precedence: it matches as well, but ${selected.key} comes first in the file`
    : `precedence: it matches, but ${selected.key} wins by ${criterion}`
}

const mismatches = ({ matches }: Routable, request: Request, quoted: 'all' | 'withoutQuery'): string =>
  [
    ...new Set(
      matches
        .map((match) => firstMismatch(match, request))
        .flatMap((one) => (one ? [inWords(one, quoted)] : [])),
    ),
  ]
    .slice(0, SHOWN_MATCHES)
    .join('; ')

/** Routes may have dozens of matchers. */
const SHOWN_MATCHES = 4

const inWords = ({ part, name, expected, received }: Mismatch, quoted: 'all' | 'withoutQuery'): string => {
  const subject = name === undefined ? part : `${part} ${name}`
  const has = received === undefined ? 'is absent' : `is ${JSON.stringify(received)}`
  if (part === 'query' && quoted === 'withoutQuery' && received !== undefined)
    return `${subject}: is not ${expected}`
  return `${subject}: ${has}, expected ${expected}`
}

/** The matcher of a route by which a request is matched: of several that match, the one that precedes. */
export const matchedBy = ({ matches }: Routable, request: Request): Match | undefined =>
  matches
    .filter((match) => !firstMismatch(match, request))
    .reduce<Match | undefined>(
      (best, match) => (best && byPrecedence(best, match) <= 0 ? best : match),
      undefined,
    )
