import type { Phases } from '../phases.ts'
import { bufferReply, bufferRequest } from './buffer.ts'
import type { BufferPolicy } from './schema.ts'

/** Compiles `buffer`. */
export const bufferStages = ({ request, response }: BufferPolicy): Partial<Phases> => ({
  ...(request && { request: bufferRequest(request) }),
  ...(response && { reply: bufferReply(response) }),
})
