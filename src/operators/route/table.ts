import type { Request } from '../../model/exchange/request.ts'
import { differingItems } from '../../model/resources/list-difference.ts'
import type { Match } from '../../model/resources/resources.ts'
import { pattern } from '../../protocols/pattern/pattern.ts'
import { type MatchCondition, condition, trimSlash } from './match.ts'
import { comparePrecedence, precedenceOf } from './precedence.ts'

/** A target of routing. */
export interface Routable {
  readonly hostnames: readonly string[]
  readonly matches: readonly Match[]
}

/** A route and its matcher that matched. */
export interface Selected<R> {
  readonly route: R
  readonly match: Match
}

/** Finds the route of a request. */
export interface RouteTable<R> {
  select(request: Request): Selected<R> | undefined
  readonly routes: readonly R[]
  /** The index of each host name. */
  readonly hosts: ReadonlyMap<string, HostTier<R>>
}

/** The routes of one host name. */
interface HostTier<R> {
  readonly all: readonly Selected<R>[]
  readonly select: (request: Request) => Selected<R> | undefined
}

/** One matcher of one route. `rank` is its position in the order of precedence: the lowest that matches is selected. */
interface Candidate<R> extends Pick<PreparedMatch, 'condition' | 'path'> {
  readonly selected: Selected<R>
  readonly rank: number
}

/** What a table needs of a matcher. */
interface PreparedMatch {
  readonly precedence: readonly number[]
  readonly condition: MatchCondition | undefined
  /** Only for regular expressions. */
  readonly path: ((path: string) => boolean) | undefined
}

/**
 * Compiles routes into an index, so that a thousand cost about as much as ten: exact paths and prefixes are looked
 * up, and a regular expression is tried only under the literal folder it starts with.
 *
 * Host names: exact, then the longest wildcard, then none. Within a host: exact paths first; then prefixes and
 * regular expressions together, longer text first; then those with a method, more headers, more query parameters;
 * then the order given.
 *
 * @param before The index of host names whose routes are the same objects is taken from here.
 */
export const routeTable = <R extends Routable>(
  routes: readonly R[],
  before?: RouteTable<R>,
): RouteTable<R> => {
  const hosts = hostTiers(routes, before)
  const anyHost = hosts.get('*')
  const named = hosts.size > (anyHost ? 1 : 0)
  return {
    routes,
    hosts,
    select(request) {
      if (named) {
        const { host } = request
        const found = hosts.get(host)?.select(request)
        if (found) return found
        for (let dot = host.indexOf('.'); dot > 0; dot = host.indexOf('.', dot + 1)) {
          const wild = hosts.get(`*${host.slice(dot)}`)?.select(request)
          if (wild) return wild
        }
      }
      return anyHost?.select(request)
    },
  }
}

/** The indexes of all host names. Only those are made that changed routes have, or had. */
const hostTiers = <R extends Routable>(
  routes: readonly R[],
  before: RouteTable<R> | undefined,
): ReadonlyMap<string, HostTier<R>> => {
  const touched = new Set(differingItems(before?.routes ?? [], routes).flatMap(hostnamesOf))
  const tiers = new Map<string, Selected<R>[]>()
  for (const route of routes)
    for (const hostname of hostnamesOf(route)) {
      if (!touched.has(hostname)) continue
      for (const match of route.matches) {
        const tier = tiers.get(hostname)
        if (tier) tier.push({ route, match })
        else tiers.set(hostname, [{ route, match }])
      }
    }
  const hosts = new Map(before?.hosts)
  for (const hostname of touched) {
    const all = tiers.get(hostname)
    if (!all) hosts.delete(hostname)
    else if (!isSame(hosts.get(hostname)?.all, all)) hosts.set(hostname, { all, select: hostTier(all) })
  }
  return hosts
}

const hostnamesOf = ({ hostnames }: Routable): readonly string[] =>
  hostnames.length > 0 ? hostnames : ANY_HOST

const ANY_HOST: readonly string[] = ['*']

const isSame = <R>(a: readonly Selected<R>[] | undefined, b: readonly Selected<R>[]): boolean =>
  a?.length === b.length && a.every(({ route, match }, i) => route === b[i]?.route && match === b[i].match)

const hostTier = <R>(all: readonly Selected<R>[]): ((request: Request) => Selected<R> | undefined) => {
  const exact = new Map<string, Candidate<R>[]>()
  const folders = new Map<string, Candidate<R>[]>()
  all
    .map((selected, position) => ({ selected, position, prepared: preparedMatch(selected.match) }))
    .sort(
      (a, b) => comparePrecedence(a.prepared.precedence, b.prepared.precedence) || a.position - b.position,
    )
    .forEach(({ selected, prepared }, rank) => {
      const { path } = selected.match
      const candidate = { selected, rank, condition: prepared.condition, path: prepared.path }
      if ('exact' in path) add(exact, path.exact, candidate)
      else
        add(folders, 'pathPrefix' in path ? trimSlash(path.pathPrefix) : literalFolder(path.regex), candidate)
    })
  return (request) => {
    const { path } = request
    const best = first(exact.get(path), request, undefined) ?? walk(folders, request)
    return best?.selected
  }
}

/** A change of one route makes the table anew: the matchers of the others are prepared already. */
const preparedMatch = (match: Match): PreparedMatch => {
  const known = preparedMatches.get(match)
  if (known) return known
  const made = {
    precedence: precedenceOf(match),
    condition: condition(match),
    path: 'regex' in match.path ? pattern(match.path.regex) : undefined,
  }
  preparedMatches.set(match, made)
  return made
}

const preparedMatches = new WeakMap<Match, PreparedMatch>()

/** Tries every folder that contains the path, from the path itself up to the root. */
const walk = <R>(
  folders: ReadonlyMap<string, Candidate<R>[]>,
  request: Request,
): Candidate<R> | undefined => {
  const { path } = request
  let best = first(folders.get(path), request, undefined)
  if (path === '*') return first(folders.get(''), request, best)
  for (let end = path.lastIndexOf('/'); end >= 0; end = end === 0 ? -1 : path.lastIndexOf('/', end - 1))
    best = first(folders.get(path.slice(0, end)), request, best)
  return best
}

/** The first of a list, in order of precedence, that matches and precedes `best`. */
const first = <R>(
  list: readonly Candidate<R>[] | undefined,
  request: Request,
  best: Candidate<R> | undefined,
): Candidate<R> | undefined => {
  if (!list) return best
  for (const candidate of list) {
    if (best && candidate.rank > best.rank) return best
    if (candidate.path && !candidate.path(request.path)) continue
    if (candidate.condition && !candidate.condition(request)) continue
    return candidate
  }
  return best
}

const add = <R>(index: Map<string, Candidate<R>[]>, key: string, candidate: Candidate<R>): void => {
  const list = index.get(key)
  if (list) list.push(candidate)
  else index.set(key, [candidate])
}

/**
 * The folder, without a trailing slash, that contains every path matching the expression: `/api/v\d+` gives `/api`.
 */
const literalFolder = (regex: string): string => {
  if (regex.includes('|')) return ''
  const literal = /^(?:\^)?((?:[A-Za-z0-9/_~-](?![*?+{])|\\[.-])*)/.exec(regex)?.[1] ?? ''
  const text = literal.replaceAll('\\', '')
  return text.slice(0, Math.max(0, text.lastIndexOf('/')))
}
