import type * as File from '../../config/schema/file-types.gen.ts'
import { type FormOf, requiredField } from '../../controller/schema/field.ts'
import { objectField } from '../../controller/schema/object-fields.ts'
import { celField } from '../../controller/schema/value-fields.ts'

/** `delay` of the traffic of a ProxyPolicy. */
export const delayField = objectField('Delays requests.', {
  duration: requiredField(
    celField('A duration such as `100ms`, or an expression that gives a duration or milliseconds.'),
  ),
})

/** `delay` of a file. */
export const delayOf = ({ duration }: FormOf<typeof delayField>): File.Delay => ({ duration })
