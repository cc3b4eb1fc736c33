import type { Request } from '../../model/exchange/request.ts'
import type { Match, NamedMatch, PathMatch } from '../../model/resources/resources.ts'
import { condition, decodeQuery, type MatchCondition, pathTest } from './match.ts'

/** The first condition of a matcher that a request does not meet. */
export interface Mismatch {
  readonly part: 'path' | 'method' | 'header' | 'query'
  /** The header or the parameter. */
  readonly name?: string
  /** As in the file, such as `exact "/v1"`. */
  readonly expected: string
  /** What the request has; undefined if it has none. */
  readonly received: string | undefined
}

/**
 * Why a matcher does not match, by the same conditions that the table of routes is made of. For people who ask, not
 * for the path of a request.
 *
 * @returns Undefined if it matches.
 */
export const firstMismatch = (match: Match, request: Request): Mismatch | undefined => {
  const { path, method, headers = [], query = [] } = match
  if (!pathTests(path)(request.path))
    return { part: 'path', expected: pathDescription(path), received: request.path }
  if (method !== undefined && request.method !== method)
    return { part: 'method', expected: method, received: request.method }
  const header = headers.find((one) => !meets(one, 'headers', request))
  if (header) return named('header', header, receivedHeader(header.name, request))
  const parameter = query.find((one) => !meets(one, 'query', request))
  return parameter && named('query', parameter, decodeQuery(request.query).get(parameter.name))
}

/** Expressions of paths are compiled once. */
const pathTests = (path: PathMatch): ((path: string) => boolean) => {
  const known = compiledPaths.get(path)
  if (known) return known
  const test = pathTest(path)
  compiledPaths.set(path, test)
  return test
}

const compiledPaths = new WeakMap<PathMatch, (path: string) => boolean>()

/** A path matcher as messages name it. */
export const pathDescription = (path: PathMatch): string => {
  if ('exact' in path) return `exact ${JSON.stringify(path.exact)}`
  return 'pathPrefix' in path
    ? `prefix ${JSON.stringify(path.pathPrefix)}`
    : `regex ${JSON.stringify(path.regex)}`
}

const meets = (one: NamedMatch, part: 'headers' | 'query', request: Request): boolean => {
  const known = compiledConditions.get(one)
  if (known) return known(request)
  const test = condition({ path: { pathPrefix: '/' }, [part]: [one] }) ?? (() => true)
  compiledConditions.set(one, test)
  return test(request)
}

const compiledConditions = new WeakMap<NamedMatch, MatchCondition>()

const named = (
  part: 'header' | 'query',
  { name, value }: NamedMatch,
  received: string | undefined,
): Mismatch => ({
  part,
  name,
  expected:
    'exact' in value ? `exact ${JSON.stringify(value.exact)}` : `regex ${JSON.stringify(value.regex)}`,
  received,
})

const receivedHeader = (name: string, request: Request): string | undefined => {
  if (name === 'host' || name === ':authority') return request.authority
  if (name === ':method') return request.method
  if (name === ':scheme') return request.scheme
  return name === ':path' ? request.target : request.headers.get(name)
}
