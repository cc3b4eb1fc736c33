import { conditionOf } from '../../config/normalize/condition.ts'
import { definedFields } from '../../config/normalize/optional-fields.ts'
import type * as File from '../../config/schema/file-types.gen.ts'
import type { Conditional } from '../../model/resources/policies.ts'
import { headerPairs } from '../headers/normalize.ts'
import type { DirectResponse } from './schema.ts'

/** `directResponse`, conditional or not. */
export function normalizeDirectResponse(policy: File.ConditionalDirectResponse): Conditional<DirectResponse> {
  if ('conditional' in policy) {
    return {
      conditional: policy.conditional.map((entry) => ({ ...plainResponse(entry), ...conditionOf(entry) })),
    }
  }
  return plainResponse(policy)
}

function plainResponse(policy: File.DirectResponse): DirectResponse {
  return definedFields<DirectResponse>({
    status: policy.status,
    body: policy.body,
    bodyExpression: policy.bodyExpression,
    headers: headerPairs(policy.headers),
  })
}
