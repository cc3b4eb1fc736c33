import { timerMilliseconds } from '../../config/normalize/context.ts'
import { definedFields, given } from '../../config/normalize/optional-fields.ts'
import type * as File from '../../config/schema/file-types.gen.ts'
import type { Timeout } from './schema.ts'

/** `timeout`, in milliseconds. */
export function timeout(policy: File.Timeout): Timeout {
  return definedFields<Timeout>({
    requestTimeoutMs: given(policy.requestTimeout, timerMilliseconds),
    backendRequestTimeoutMs: given(policy.backendRequestTimeout, timerMilliseconds),
  })
}
