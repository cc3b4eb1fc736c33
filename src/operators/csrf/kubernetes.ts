import type { FormOf } from '../../controller/schema/field.ts'
import { listField, objectField } from '../../controller/schema/object-fields.ts'
import { shortStringField } from '../../controller/schema/value-fields.ts'

/** `csrf` of a ProxyPolicy. */
export const csrfField = objectField('Refuses cross-site requests with unsafe methods (CSRF protection).', {
  additionalOrigins: listField(
    "Origins that may send such requests, in addition to the gateway's own.",
    shortStringField('Origin.'),
    { minItems: 1, maxItems: 16 },
  ),
})

/** What `csrf` of a ProxyPolicy holds. */
export type CsrfForm = FormOf<typeof csrfField>
