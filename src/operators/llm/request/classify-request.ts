import { LlmCall } from '../../../model/llm/llm-call.ts'
import type { LlmRouteType } from '../../../model/llm/llm-backend.ts'
import { onRequest, type Operator } from '../../../pipeline/stage.ts'
import { errorFormatFor } from '../local-reply-format.ts'

/**
 * Classifies a request to a language model by its path, so that refusals of every later stage are in the client's
 * format. Belongs before the first stage that may refuse; reads nothing of the body.
 */
export const classifyRequest = (typeOf: (path: string) => LlmRouteType): Operator =>
  onRequest('llm', (x) => {
    const type = typeOf(x.request.path)
    x.protocol.llm = new LlmCall(type)
    x.protocol.localReplyFormat = errorFormatFor(type, x.request)
  })
