import type { Phases } from '../phases.ts'
import { conditional } from '../conditional.ts'
import type { CompiledTransformation as Compiled } from './header-steps.ts'
import { transform } from './transformations.ts'
import type { Conditional } from '../../model/resources/policies.ts'
import type { Transformation, Transformations } from './schema.ts'
import type { CompileContext } from '../../config/compile/compile-context.ts'

/** Compiles a transformation, or several of which the first whose condition is true applies. */
export const transformStages = (
  policy: Conditional<Transformations>,
  { expression, resources }: CompileContext,
): Phases => {
  const { maxBufferBytes } = resources.frontend.http
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
  return conditional(choices, maxBufferBytes)
}

/** Compiles the expressions of a change. */
export const transformationSteps = (
  { metadata, replace, add, set, remove, body }: Transformation,
  expression: CompileContext['expression'],
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
