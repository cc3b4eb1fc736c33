import type { CompileContext } from '../../config/compile/compile-context.ts'
import type { Operator } from '../../pipeline/stage.ts'
import { retry } from './retry.ts'
import type { Retry } from './schema.ts'

/** Wraps the attempt of a route with retries. */
export const retryStage = (
  { precondition, condition, ...rest }: Retry,
  attempt: Operator,
  { expression, resources }: CompileContext,
): Operator =>
  retry(
    {
      ...rest,
      precondition: precondition === undefined ? undefined : expression(precondition),
      condition: condition === undefined ? undefined : expression(condition),
      bufferLimitBytes: resources.frontend.http.maxBufferBytes,
    },
    attempt,
  )
