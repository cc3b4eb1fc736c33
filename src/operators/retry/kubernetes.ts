import { listField, objectField } from '../../controller/schema/object-fields.ts'
import { policyForm } from '../../controller/schema/policy-form.ts'
import { integerField } from '../../controller/schema/scalar-fields.ts'
import { celField, gatewayDurationField } from '../../controller/schema/value-fields.ts'

const retryField = objectField('Retries requests that failed, or got one of the status codes.', {
  attempts: integerField('Largest number of retries.', { minimum: 1, maximum: 255 }),
  backoff: gatewayDurationField('Delay between attempts.'),
  codes: listField(
    'Status codes that are retried.',
    integerField('Status code.', { minimum: 400, maximum: 599 }),
    { maxItems: 200 },
  ),
  precondition: celField('Condition on the request. If it is false, the request is not retried.'),
  condition: celField('Condition on the response. If it is true, the request is retried whatever the code.'),
})

/** `traffic.retry` of a ProxyPolicy. */
export const retryForm = policyForm({
  field: retryField,
  translate: ({ attempts, backoff, codes = [], precondition, condition }) => ({
    retry: {
      ...(attempts === undefined ? {} : { attempts }),
      codes: [...codes],
      ...(backoff === undefined ? {} : { backoff }),
      ...(precondition === undefined ? {} : { precondition }),
      ...(condition === undefined ? {} : { condition }),
    },
  }),
})
