import type { Phases } from '../../operators/phases.ts'
import { choose } from '../../operators/choose.ts'
import { transform, type Transformation as Compiled } from '../../operators/transform.ts'
import type { FrontendPolicies } from '../../model/frontend-policies.ts'
import type { Conditional, Transformation, Transformations } from '../../model/policies.ts'
import type { Workshop } from './workshop.ts'

/** Makes the stages of a transformation, or of the first of several whose condition holds. */
export const transformStages = (
  policy: Conditional<Transformations>,
  { http: { maxBufferBytes } }: FrontendPolicies,
  { expression }: Workshop,
): Phases => {
  const one = ({ request, response }: Transformations): Phases =>
    transform({
      request: request && transformationSteps(request, expression),
      response: response && transformationSteps(response, expression),
      bufferLimitBytes: maxBufferBytes,
    })
  if (!('conditional' in policy)) return one(policy)
  const choices = policy.conditional.map(({ condition, ...rest }) => ({
    ...one(rest),
    when: condition === undefined ? undefined : expression(condition),
  }))
  return choose(choices, maxBufferBytes)
}

/** Makes the expressions of a change ready to be evaluated. */
export const transformationSteps = (
  { metadata, replace, add, set, remove, body }: Transformation,
  expression: Workshop['expression'],
): Compiled => {
  const values = (pairs: Transformation['add']) =>
    pairs.map(([name, value]) => [name, expression(value)] as const)
  return {
    metadata: values(metadata),
    replace: replace === undefined ? undefined : expression(replace),
    add: values(add),
    set: values(set),
    remove,
    body: body === undefined ? undefined : expression(body),
  }
}
