import type { Request } from '../../model/exchange/request.ts'
import type { Match, NamedMatch, PathMatch } from '../../model/resources/resources.ts'
import { pattern } from '../../protocols/pattern/pattern.ts'

/** The parameters of a query string (`?a=1&b=2`), form-decoded; of repeated names the last is used. */
export const decodeQuery = (query: string): ReadonlyMap<string, string> => {
  const values = new Map<string, string>()
  for (const [name, value] of new URLSearchParams(query)) values.set(name, value)
  return values
}

/** Whether a request matches all conditions of a matcher besides its path. */
export type MatchCondition = (request: Request) => boolean

/** The text of a path matcher, for precedence: longer is more specific. */
export const pathText = (path: PathMatch): string =>
  'exact' in path ? path.exact : 'pathPrefix' in path ? trimSlash(path.pathPrefix) : path.regex

/** Whether a path matches, for those who test single paths: the table of routes looks them up instead. */
export const pathTest = (match: PathMatch): ((path: string) => boolean) => {
  if ('regex' in match) return pattern(match.regex)
  if ('exact' in match) return (path) => path === match.exact
  const folder = trimSlash(match.pathPrefix)
  return (path) => path === folder || path.startsWith(`${folder}/`)
}

/** The same, made once for each matcher, for those who test all matchers of a configuration. */
export const pathTestOf = (match: PathMatch): ((path: string) => boolean) => {
  const known = pathTests.get(match) ?? pathTest(match)
  pathTests.set(match, known)
  return known
}

const pathTests = new WeakMap<PathMatch, (path: string) => boolean>()

/** A prefix without its trailing slash: `/foo/` and `/foo` match the same paths, and `/` becomes empty. */
export const trimSlash = (prefix: string): string => (prefix.endsWith('/') ? prefix.slice(0, -1) : prefix)

/** The conditions of a matcher on method, headers and query; undefined if there are none. */
export const condition = (match: Match): MatchCondition | undefined => {
  const parts: MatchCondition[] = []
  const { method } = match
  if (method !== undefined) parts.push((request) => request.method === method)
  for (const header of match.headers ?? []) parts.push(headerCondition(header))
  if (match.query?.length) parts.push(queryCondition(match.query))
  if (parts.length < 2) return parts[0]
  return (request) => parts.every((part) => part(request))
}

/** The conditions of a list of headers, all of which must match. Undefined if it is empty. */
export const headersCondition = (headers: readonly NamedMatch[]): MatchCondition | undefined =>
  condition({ path: { pathPrefix: '/' }, headers })

const valueTest = ({ value }: NamedMatch): ((text: string) => boolean) => {
  if ('regex' in value) return pattern(value.regex)
  const { exact } = value
  return (text) => text === exact
}

const headerCondition = (match: NamedMatch): MatchCondition => {
  const test = valueTest(match)
  const name = match.name.toLowerCase()
  const pseudo = PSEUDO[name]
  if (pseudo) return (request) => test(pseudo(request))
  return ({ headers }) => {
    const value = headers.get(name)
    if (value === undefined) return false
    // All values count, so that a repeated field cannot hide one of them.
    return test(value) || headers.all(name).some(test)
  }
}

const PSEUDO: Readonly<Record<string, (request: Request) => string>> = {
  ':method': (request) => request.method,
  ':authority': (request) => request.authority,
  host: (request) => request.authority,
  ':scheme': (request) => request.scheme,
  ':path': (request) => request.target,
}

const queryCondition = (matches: readonly NamedMatch[]): MatchCondition => {
  const tests = matches.map((match) => ({ name: match.name, test: valueTest(match) }))
  return (request) => {
    if (!request.query) return false
    const query = decodeQuery(request.query)
    return tests.every(({ name, test }) => {
      const value = query.get(name)
      return value !== undefined && test(value)
    })
  }
}
