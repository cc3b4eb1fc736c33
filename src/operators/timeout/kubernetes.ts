import { objectField } from '../../controller/schema/object-fields.ts'
import { policyForm } from '../../controller/schema/policy-form.ts'
import { atLeastOneOf } from '../../controller/schema/validation-rule.ts'
import { durationTextField } from '../../controller/schema/value-fields.ts'

/** `traffic.timeouts` of a ProxyPolicy. */
export const timeoutsForm = policyForm({
  field: objectField(
    'Timeouts.',
    { request: durationTextField('Timeout of the whole exchange, bodies included.', { minimum: '1ms' }) },
    { rules: [atLeastOneOf('request')] },
  ),
  translate: ({ request }) => (request === undefined ? undefined : { timeout: { requestTimeout: request } }),
})
