import { defaults } from '../../config/defaults.ts'
import { normalPath } from '../../config/format/path.ts'
import { definedFields, given } from '../../config/normalize/optional-fields.ts'
import type * as File from '../../config/schema/file-types.gen.ts'
import type { AuthorityChange, PathChange, Redirect } from './schema.ts'

/** `requestRedirect`, with the default status. */
export function normalizeRequestRedirect(policy: File.Redirect): Redirect {
  return definedFields<Redirect>({
    scheme: policy.scheme,
    authority: given(policy.authority, authorityChange),
    path: given(policy.path, pathChange),
    port: policy.port === 'listener' ? 'listener' : undefined,
    status: policy.status ?? defaults.redirectStatus,
  })
}

/** A change of the authority, normalized. */
export function authorityChange(change: File.AuthorityChange): AuthorityChange {
  if (typeof change === 'string') return change
  if (change.full !== undefined) return { full: change.full }
  return change.host === undefined ? { port: change.port ?? 0 } : { host: change.host }
}

/** A change of the path, normalized. */
export function pathChange({ full, prefix }: File.PathChange): PathChange {
  return full === undefined ? { prefix: normalPath(prefix ?? '') } : { full: normalPath(full) }
}
