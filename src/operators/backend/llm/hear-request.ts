import { LlmCall } from '../../../model/llm-call.ts'
import type { LlmRouteType } from '../../../model/llm.ts'
import { onRequest, type Operator } from '../../../pipeline/stage.ts'
import { tongueFor } from './llm-tongue.ts'

/**
 * Notes by its path what an exchange asks of a language model, so that refusals of every later stage are said as its
 * client understands them. Sits before anybody may refuse; reads nothing of the body.
 */
export const hearRequest = (typeOf: (path: string) => LlmRouteType): Operator =>
  onRequest('llm', (x) => {
    const type = typeOf(x.request.path)
    x.llm = new LlmCall(type)
    x.tongue = tongueFor(type, x.request)
  })
