import { requiredField } from '../../controller/schema/field.ts'
import { objectField } from '../../controller/schema/object-fields.ts'
import { policyForm } from '../../controller/schema/policy-form.ts'
import { celField } from '../../controller/schema/value-fields.ts'

/** `traffic.delay` of a ProxyPolicy. */
export const delayForm = policyForm({
  field: objectField('Delays requests.', {
    duration: requiredField(
      celField('A duration such as `100ms`, or an expression that gives a duration or milliseconds.'),
    ),
  }),
  translate: ({ duration }) => ({ delay: { duration } }),
})
