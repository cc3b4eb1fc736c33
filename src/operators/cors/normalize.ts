import { milliseconds } from '../../config/normalize/context.ts'
import { definedFields, given } from '../../config/normalize/optional-fields.ts'
import type * as File from '../../config/schema/file-types.gen.ts'
import type { Cors } from './schema.ts'

/** `cors`, with empty lists as defaults. */
export function normalizeCors(policy: File.Cors): Cors {
  return definedFields<Cors>({
    allowOrigins: policy.allowOrigins ?? [],
    allowMethods: policy.allowMethods ?? [],
    allowHeaders: policy.allowHeaders ?? [],
    exposeHeaders: policy.exposeHeaders ?? [],
    allowCredentials: policy.allowCredentials ?? false,
    maxAgeMs: given(policy.maxAge, milliseconds),
  })
}
