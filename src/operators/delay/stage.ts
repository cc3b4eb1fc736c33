import type { CompileContext } from '../../config/compile/compile-context.ts'
import type { Phases } from '../phases.ts'
import { delay } from './delay.ts'
import type { Delay } from './schema.ts'

/** Compiles `delay`. */
export const delayStage = (
  { duration }: Delay,
  { expression, resources }: CompileContext,
): Pick<Phases, 'request'> => ({
  request: delay({
    duration: 'ms' in duration ? duration.ms : expression(duration.expression),
    bufferLimitBytes: resources.frontend.http.maxBufferBytes,
  }),
})
