import type * as File from '../../config/schema/file-types.gen.ts'
import { endpointFields, endpointRule, urlWithoutPath } from '../../controller/schema/endpoint-fields.ts'
import { type FormOf, requiredField } from '../../controller/schema/field.ts'
import { listField, objectField } from '../../controller/schema/object-fields.ts'
import { enumField } from '../../controller/schema/scalar-fields.ts'
import {
  celField,
  failureModeField,
  shortStringField,
  tinyStringField,
} from '../../controller/schema/value-fields.ts'
import type { FormContext } from '../../controller/schema/form-context.ts'

const entryField = objectField('An entry.', {
  name: requiredField(tinyStringField('Key of the entry.')),
  expression: requiredField(
    celField('Expression that gives the value. If it fails, the descriptor is left out.'),
  ),
})

const descriptorField = objectField('Requests with equal values share a counter.', {
  entries: requiredField(listField('Entries, in order.', entryField, { minItems: 1, maxItems: 16 })),
  unit: enumField('What is counted: requests, or tokens of language models.', ['Requests', 'Tokens']),
  cost: celField('Expression that gives the cost of a request.'),
  limitOverride: celField('Expression that gives a limit in place of that of the service.'),
})

/** `rateLimit.global` of the traffic of a ProxyPolicy. */
export const globalRateLimitField = objectField(
  'A rate limit that gateways share, in a service.',
  {
    ...endpointFields('the rate limit service'),
    domain: requiredField(shortStringField('Domain: the namespace of the counters.')),
    descriptors: requiredField(listField('Descriptors.', descriptorField, { minItems: 1, maxItems: 16 })),
    failureMode: failureModeField('What happens to requests if the service fails.'),
  },
  { rules: [endpointRule, urlWithoutPath] },
)

/** What `rateLimit.global` holds. */
export type GlobalRateLimitForm = FormOf<typeof globalRateLimitField>

/** `remoteRateLimit` of a file; undefined if there is no service. */
export const remoteRateLimitOf = (
  form: GlobalRateLimitForm,
  context: FormContext,
): File.RemoteRateLimit | undefined => {
  const service = context.endpoint(form)
  if (!service) return undefined
  return {
    ...service,
    domain: form.domain,
    descriptors: form.descriptors.map(({ entries, unit, cost, limitOverride }) => ({
      entries: entries.map(({ name, expression }) => ({ key: name, value: expression })),
      type: unit === 'Tokens' ? 'tokens' : 'requests',
      ...(cost === undefined ? {} : { cost }),
      ...(limitOverride === undefined ? {} : { limitOverride }),
    })),
    failureMode: form.failureMode === 'FailOpen' ? 'failOpen' : 'failClosed',
  }
}
