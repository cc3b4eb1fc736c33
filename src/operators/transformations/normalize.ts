import { conditionOf } from '../../config/normalize/condition.ts'
import { definedFields, given } from '../../config/normalize/optional-fields.ts'
import type * as File from '../../config/schema/file-types.gen.ts'
import type { Conditional } from '../../model/resources/policies.ts'
import { headerPairs, pairs } from '../headers/normalize.ts'
import type { Transformation, Transformations } from './schema.ts'

/** `transformations`, conditional or not. */
export function transformations(policy: File.ConditionalTransformations): Conditional<Transformations> {
  if ('conditional' in policy) {
    return {
      conditional: policy.conditional.map((entry) => ({
        ...plainTransformations(entry),
        ...conditionOf(entry),
      })),
    }
  }
  return plainTransformations(policy)
}

/** `transformations` without conditions. */
export function plainTransformations(policy: File.Transformations): Transformations {
  return definedFields<Transformations>({
    request: given(policy.request, transformation),
    response: given(policy.response, transformation),
  })
}

function transformation(part: File.Transformation): Transformation {
  return definedFields<Transformation>({
    metadata: pairs(part.metadata),
    replace: part.replace,
    add: headerPairs(part.add),
    set: headerPairs(part.set),
    remove: (part.remove ?? []).map((name) => name.toLowerCase()),
    body: part.body,
  })
}
