import { definedFields, given } from '../../config/normalize/optional-fields.ts'
import type * as File from '../../config/schema/file-types.gen.ts'
import type { BufferPolicy } from './schema.ts'

/** `buffer`. */
export function buffer(policy: File.Buffer): BufferPolicy {
  const side = ({ maxBytes, failureMode }: File.BufferSide) =>
    definedFields<NonNullable<BufferPolicy['request']>>({
      maxBytes,
      failureMode: failureMode ?? 'failClosed',
    })
  return definedFields<BufferPolicy>({
    request: given(policy.request, side),
    response: given(policy.response, side),
  })
}
