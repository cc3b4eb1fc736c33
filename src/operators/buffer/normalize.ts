import type { Context } from '../../config/normalize/context.ts'
import { definedFields, given } from '../../config/normalize/optional-fields.ts'
import type * as File from '../../config/schema/file-types.gen.ts'
import type { BufferPolicy, BufferSide } from './schema.ts'

/** `buffer`, with the limit of the process as default. */
export function buffer(policy: File.Buffer, { maxBufferBytes }: Context): BufferPolicy {
  const side = ({ maxBytes, failureMode }: File.BufferSide): BufferSide => ({
    maxBytes: maxBytes ?? maxBufferBytes,
    failureMode: failureMode ?? 'failClosed',
  })
  return definedFields<BufferPolicy>({
    request: given(policy.request, side),
    response: given(policy.response, side),
  })
}
