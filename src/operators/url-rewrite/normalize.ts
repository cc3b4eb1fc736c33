import { definedFields, given } from '../../config/normalize/optional-fields.ts'
import type * as File from '../../config/schema/file-types.gen.ts'
import { authorityChange, pathChange } from '../request-redirect/normalize.ts'
import type { Rewrite } from './schema.ts'

/** `urlRewrite`. */
export function normalizeUrlRewrite(policy: File.Rewrite): Rewrite {
  return definedFields<Rewrite>({
    authority: given(policy.authority, authorityChange),
    path: given(policy.path, pathChange),
  })
}
