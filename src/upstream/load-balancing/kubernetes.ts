import { objectField } from '../../controller/schema/object-fields.ts'
import { policyForm } from '../../controller/schema/policy-form.ts'
import { integerField } from '../../controller/schema/scalar-fields.ts'
import { celField, durationTextField } from '../../controller/schema/value-fields.ts'

const MAX = 2 ** 31 - 1

const healthField = objectField('When an endpoint gets no requests.', {
  unhealthyCondition: celField('Expression on the response that is true where the endpoint has failed.'),
  eviction: objectField('How long, and after what.', {
    duration: durationTextField('Time without requests.', { minimum: '1s', default: '3s' }),
    consecutiveFailures: integerField('Failures in a row. With 0, as with 1, the first one is enough.', {
      minimum: 0,
      maximum: MAX,
    }),
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

/** `backend.health` of a ProxyPolicy. */
export const healthForm = policyForm({
  field: healthField,
  translate: ({ unhealthyCondition, eviction }) => ({
    health: {
      ...(unhealthyCondition === undefined ? {} : { unhealthyExpression: unhealthyCondition }),
      ...(eviction === undefined
        ? {}
        : {
            eviction: {
              duration: eviction.duration ?? '3s',
              // None needed is the first one, which the file writes as 1.
              ...(eviction.consecutiveFailures === undefined
                ? {}
                : { consecutiveFailures: Math.max(1, eviction.consecutiveFailures) }),
              // Percentages here, fractions in the file.
              ...(eviction.healthThreshold === undefined
                ? {}
                : { healthThreshold: eviction.healthThreshold / 100 }),
              ...(eviction.restoreHealth === undefined
                ? {}
                : { restoreHealth: eviction.restoreHealth / 100 }),
            },
          }),
    },
  }),
})
