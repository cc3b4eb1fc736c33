import type * as File from '../../config/schema/file-types.gen.ts'
import type { FormOf } from '../../controller/schema/field.ts'
import { objectField } from '../../controller/schema/object-fields.ts'
import { atLeastOneOf } from '../../controller/schema/validation-rule.ts'
import { durationTextField } from '../../controller/schema/value-fields.ts'

/** `timeouts` of the traffic of a ProxyPolicy. */
export const timeoutsField = objectField(
  'Timeouts.',
  { request: durationTextField('Timeout of the whole exchange, bodies included.', { minimum: '1ms' }) },
  { rules: [atLeastOneOf('request')] },
)

/** `timeout` of a file. */
export const timeoutOf = ({ request }: FormOf<typeof timeoutsField>): File.Timeout =>
  request === undefined ? {} : { requestTimeout: request }
