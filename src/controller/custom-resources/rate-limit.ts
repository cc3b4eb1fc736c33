import { localRateLimitField } from '../../operators/local-rate-limit/kubernetes.ts'
import { globalRateLimitField } from '../../operators/remote-rate-limit/kubernetes.ts'
import { conditionalField } from '../schema/conditional-field.ts'
import type { ObjectForm } from '../schema/field.ts'
import { listField } from '../schema/object-fields.ts'
import { atLeastOneOf } from '../schema/validation-rule.ts'

const fields = {
  local: listField('Limits of each proxy.', localRateLimitField, { minItems: 1, maxItems: 16 }),
  global: globalRateLimitField,
}

/** `rateLimit` of the traffic of a ProxyPolicy: two policies of a file in one. */
export const rateLimitField = conditionalField('Limits how many requests pass.', fields, [
  atLeastOneOf('local', 'global'),
])

/** What `rateLimit` holds. */
export type RateLimitForm = ObjectForm<typeof fields>
