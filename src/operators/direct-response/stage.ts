import type { CompileContext } from '../../config/compile/compile-context.ts'
import type { Conditional } from '../../model/resources/policies.ts'
import type { Operator } from '../../pipeline/stage.ts'
import { conditional } from '../conditional.ts'
import type { Phases } from '../phases.ts'
import { directResponse } from './direct-response.ts'
import type { DirectResponse } from './schema.ts'

/** Compiles `directResponse`, or several of which the first whose condition is true applies. */
export const directResponseStage = (
  policy: Conditional<DirectResponse>,
  { expression, resources }: CompileContext,
): Pick<Phases, 'request'> => {
  const bufferLimitBytes = resources.frontend.http.maxBufferBytes
  const one = ({ status, body, bodyExpression, headers }: DirectResponse): Operator =>
    directResponse({
      status,
      body: bodyExpression === undefined ? body : expression(bodyExpression),
      headers: headers.map(([name, value]) => [name, expression(value)] as const),
      bufferLimitBytes,
    })
  if (!('conditional' in policy)) return { request: one(policy) }
  const choices = policy.conditional.map(({ condition, ...rest }) => ({
    request: one(rest),
    when: condition === undefined ? undefined : expression(condition),
  }))
  return { request: conditional(choices, bufferLimitBytes).request }
}
