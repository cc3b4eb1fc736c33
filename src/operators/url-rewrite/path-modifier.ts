import { Fault } from '../../model/exchange/fault.ts'
import type { PathChange } from '../request-redirect/schema.ts'
import type { Match } from '../../model/resources/resources.ts'

/** A path and its query, which is empty or begins with `?`. */
export interface RewriteTarget {
  readonly path: string
  readonly query: string
}

/**
 * Compiles a change of the path. `full` replaces all of it and keeps the query, unless the new path has one. `prefix`
 * replaces the prefix that the route matched: with `/new` for `/old`, `/old/x` becomes `/new/x`.
 *
 * @throws Fault `prefix_match_required` when called for an exchange whose route did not match by prefix, which is an
 *   error of the configuration.
 */
export const changePath = (
  change: PathChange,
  what: 'rewrite' | 'redirect',
): ((target: RewriteTarget, match: Match | undefined) => RewriteTarget) => {
  if ('full' in change) {
    const mark = change.full.indexOf('?')
    if (mark >= 0) {
      const fixed = { path: change.full.slice(0, mark), query: change.full.slice(mark) }
      return () => fixed
    }
    return ({ query }) => ({ path: change.full, query })
  }
  const replacement = withoutSlash(change.prefix)
  return ({ path, query }, match) => {
    const matched = match && 'pathPrefix' in match.path ? withoutSlash(match.path.pathPrefix) : undefined
    if (matched === undefined || !path.startsWith(matched)) throw prefixMatchRequired(what)
    return { path: replacement + path.slice(matched.length) || '/', query }
  }
}

const withoutSlash = (prefix: string): string => (prefix.endsWith('/') ? prefix.slice(0, -1) : prefix)

const prefixMatchRequired = (what: string): Fault =>
  new Fault('prefix_match_required', `failed to apply filters: prefix ${what} requires prefix match`)
