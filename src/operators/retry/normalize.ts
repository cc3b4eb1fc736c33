import { defaults } from '../../config/defaults.ts'
import { milliseconds } from '../../config/normalize/context.ts'
import { definedFields, given } from '../../config/normalize/optional-fields.ts'
import type * as File from '../../config/schema/file-types.gen.ts'
import type { Retry } from './schema.ts'

/** `retry`, with one retry by default. */
export function normalizeRetry(policy: File.Retry): Retry {
  return definedFields<Retry>({
    attempts: policy.attempts ?? defaults.retryAttempts,
    codes: policy.codes,
    backoffMs: given(policy.backoff, milliseconds),
    precondition: policy.precondition,
    condition: policy.condition,
  })
}
