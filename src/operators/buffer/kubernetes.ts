import type * as File from '../../config/schema/file-types.gen.ts'
import type { FormOf } from '../../controller/schema/field.ts'
import { objectField } from '../../controller/schema/object-fields.ts'
import { byteCount } from '../../controller/schema/quantity.ts'
import { atLeastOneOf } from '../../controller/schema/validation-rule.ts'
import { byteSizeField, failureModeField } from '../../controller/schema/value-fields.ts'
import { policyForm } from '../../controller/schema/policy-form.ts'

const sideField = (description: string) =>
  objectField(description, {
    maxBytes: byteSizeField('Largest body. By default that of the frontend.'),
    failureMode: failureModeField('Whether larger bodies are refused, or streamed.'),
  })

const bufferField = objectField(
  'Reads bodies to their end before they are sent on.',
  { request: sideField('Bodies of requests.'), response: sideField('Bodies of responses.') },
  { rules: [atLeastOneOf('request', 'response')] },
)

type BufferForm = FormOf<typeof bufferField>

/** `traffic.buffer` of a ProxyPolicy. */
export const bufferForm = policyForm({
  field: bufferField,
  translate: ({ request, response }) => ({
    buffer: {
      ...(request === undefined ? {} : { request: sideOf(request) }),
      ...(response === undefined ? {} : { response: sideOf(response) }),
    },
  }),
})

const sideOf = ({ maxBytes, failureMode }: NonNullable<BufferForm['request']>): File.BufferSide => {
  const bytes = maxBytes === undefined ? undefined : byteCount(maxBytes)
  return {
    ...(bytes === undefined ? {} : { maxBytes: bytes }),
    ...(failureMode === undefined
      ? {}
      : { failureMode: failureMode === 'FailOpen' ? 'failOpen' : 'failClosed' }),
  }
}
