import type { CompileContext } from '../../config/compile/compile-context.ts'
import type { Phases } from '../phases.ts'
import { bufferReply, bufferRequest } from './buffer.ts'
import type { BufferPolicy } from './schema.ts'

/** Compiles `buffer`. By default, its limit is that of the port. */
export const bufferStages = (
  { request, response }: BufferPolicy,
  { resources }: CompileContext,
): Partial<Phases> => {
  const maxBytes = resources.frontend.http.maxBufferBytes
  return {
    ...(request && { request: bufferRequest({ maxBytes, ...request }) }),
    ...(response && { reply: bufferReply({ maxBytes, ...response }) }),
  }
}
