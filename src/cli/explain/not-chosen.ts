import type { Request } from '../../model/exchange/request.ts'
import type { Bind, Listener, Match, Route } from '../../model/resources/resources.ts'
import { firstMismatch, type Mismatch, pathDescription } from '../../operators/route/mismatch.ts'
import { byPrecedence, hostSpecificity, precedenceOver } from '../../operators/route/precedence.ts'
import type { NotChosen } from './explanation.ts'
import { writtenAt } from './written.ts'

/** Why each other route of a table was not chosen. */
export const otherRoutes = (
  routes: readonly Route[],
  selected: Route | undefined,
  request: Request,
): readonly NotChosen[] => {
  const winner = selected && matchedBy(selected, request)
  return routes
    .filter((route) => route !== selected)
    .map((route) => ({
      key: route.key,
      why: whyNot(route, selected, winner, request),
      written: route.origin && writtenAt(route.origin),
    }))
}

/** The matcher of a route by which a request is matched: of several that match, the one that precedes. */
export const matchedBy = ({ matches }: Route, request: Request): Match | undefined =>
  matches
    .filter((match) => !firstMismatch(match, request))
    .reduce<Match | undefined>(
      (best, match) => (best && byPrecedence(best, match) <= 0 ? best : match),
      undefined,
    )

/** Why each other listener of a bind was not chosen. */
export const otherListeners = (
  { listeners }: Bind,
  chosen: string | undefined,
  host: string,
  isEncrypted: boolean,
): readonly NotChosen[] =>
  listeners
    .filter(({ key }) => key !== chosen)
    .map((listener) => ({
      key: listener.key,
      why: whyNotListener(listener, host, isEncrypted),
      written: listener.origin && writtenAt(listener.origin),
    }))

/** A matcher in words. */
export const matchDescription = ({ path, method, headers = [], query = [] }: Match): string =>
  [
    method,
    pathDescription(path),
    ...headers.map(({ name }) => `header ${name}`),
    ...query.map(({ name }) => `query ${name}`),
  ]
    .filter((part) => part !== undefined)
    .join(', ')

const whyNot = (
  route: Route,
  selected: Route | undefined,
  winner: Match | undefined,
  request: Request,
): string => {
  const specificity = hostSpecificity(route.hostnames, request.host)
  if (specificity === undefined)
    return `host: ${request.host || 'none'} is not among its host names (${route.hostnames.join(', ')})`
  const own = matchedBy(route, request)
  if (!own) return mismatches(route, request)
  if (!selected || !winner) return 'precedence: another route matches'
  if (specificity < (hostSpecificity(selected.hostnames, request.host) ?? 0))
    return `precedence: it matches, but ${selected.key} has a more specific host name`
  const criterion = precedenceOver(winner, own)
  return criterion === undefined
    ? `precedence: it matches as well, but ${selected.key} comes first in the file`
    : `precedence: it matches, but ${selected.key} wins by ${criterion}`
}

const mismatches = ({ matches }: Route, request: Request): string =>
  [
    ...new Set(
      matches.map((match) => firstMismatch(match, request)).flatMap((one) => (one ? [inWords(one)] : [])),
    ),
  ]
    .slice(0, SHOWN_MATCHES)
    .join('; ')

/** Routes may have dozens of matchers. */
const SHOWN_MATCHES = 4

const inWords = ({ part, name, expected, received }: Mismatch): string => {
  const subject = name === undefined ? part : `${part} ${name}`
  const has = received === undefined ? 'is absent' : `is ${JSON.stringify(received)}`
  return `${subject}: ${has}, expected ${expected}`
}

const whyNotListener = ({ protocol, hostname }: Listener, host: string, isEncrypted: boolean): string => {
  const expectsTls = protocol === 'HTTPS' || protocol === 'TLS'
  if (protocol === 'TCP') return 'protocol: it proxies TCP connections'
  if (expectsTls !== isEncrypted)
    return expectsTls
      ? 'protocol: it expects TLS, the request is cleartext'
      : 'protocol: it is cleartext, the request came over TLS'
  const specificity = hostSpecificity(hostname === '' ? [] : [hostname], host)
  return specificity === undefined
    ? `host: ${host || 'none'} does not fit ${hostname}`
    : 'precedence: another listener has a more specific host name, or comes first'
}
