import type { FormOf } from '../../controller/schema/field.ts'
import { objectField } from '../../controller/schema/object-fields.ts'
import { integerField } from '../../controller/schema/scalar-fields.ts'
import { celField, durationTextField } from '../../controller/schema/value-fields.ts'

const MAX = 2 ** 31 - 1

/** `health` of the policies of backends. */
export const healthField = objectField('When an endpoint gets no requests.', {
  unhealthyCondition: celField('Expression on the response that is true where the endpoint has failed.'),
  eviction: objectField('How long, and after what.', {
    duration: durationTextField('Time without requests.', { minimum: '1s', default: '3s' }),
    consecutiveFailures: integerField('Failures in a row.', { minimum: 0, maximum: MAX }),
    healthThreshold: integerField('Health in percent, below which it is taken out.', {
      minimum: 0,
      maximum: 100,
    }),
    restoreHealth: integerField('Health in percent that it has when it comes back.', {
      minimum: 0,
      maximum: 100,
    }),
  }),
})

/** What `health` holds. */
export type HealthForm = FormOf<typeof healthField>
