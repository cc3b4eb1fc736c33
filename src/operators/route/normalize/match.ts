import { normalPath } from '../../../config/format/path.ts'
import type { Context } from '../../../config/normalize/context.ts'
import { definedFields, given } from '../../../config/normalize/optional-fields.ts'
import type * as File from '../../../config/schema/file-types.gen.ts'
import type { Match, NamedMatch } from '../../../model/resources/resources.ts'

/**
 * The conditions of a match, with the prefix `/` as default path. Paths are normalized like those of requests, since
 * no other spelling would ever match; regular expressions are unchanged.
 */
export function match(source: File.Match, rules: Pick<Context, 'mergeSlashes'>): Match {
  return definedFields<Match>({
    path: given(source.path, (path) => pathMatch(path, rules.mergeSlashes)) ?? { pathPrefix: '/' },
    method: source.method,
    headers: given(source.headers, (list) =>
      list.map((entry) => namedMatch(entry, entry.name.toLowerCase())),
    ),
    query: given(source.query, (list) => list.map((entry) => namedMatch(entry, entry.name))),
  })
}

function pathMatch({ exact, pathPrefix, regex }: File.PathMatch, mergeSlashes: boolean): Match['path'] {
  if (exact !== undefined) return { exact: normalPath(exact, mergeSlashes) }
  if (pathPrefix !== undefined) return { pathPrefix: normalPath(pathPrefix, mergeSlashes) }
  return { regex: regex ?? '' }
}

/** A condition on a header or parameter. */
export function namedMatch({ value }: { value: File.ValueMatch }, name: string): NamedMatch {
  return { name, value: value.exact === undefined ? { regex: value.regex ?? '' } : { exact: value.exact } }
}
