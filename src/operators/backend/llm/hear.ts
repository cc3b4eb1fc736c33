import type { Exchange } from '../../../model/exchange.ts'
import type { LlmRouteType } from '../../../model/llm.ts'
import type { Reply } from '../../../model/reply.ts'
import type { JsonObject } from '../../../protocols/json/json-object.ts'
import type { RequestFacts, RequestPlace } from '../../../protocols/llm/chat/codec.ts'
import { codecs } from '../../../protocols/llm/codecs.ts'
import { isChatFormat, isFormat } from '../../../protocols/llm/format.ts'
import { otherRequestFacts } from '../../../protocols/llm/other-facts.ts'
import { modelInPath } from '../../../protocols/llm/model-in-path.ts'
import { hearBody, type HeardBody } from './hear-body.ts'
import type { Heard } from './heard.ts'
import { hearOpaque } from './hear-opaque.ts'
import { requestFailed } from './llm-refusal.ts'

/** How requests are read. */
export interface Hearing {
  readonly limitBytes: number
  /** Who answers depends on the model, so that every request must name one. */
  readonly byModel: boolean
}

/** Reads what a client asks: all of it where it has to be understood, and otherwise as little as it takes. */
export const hear = (
  x: Exchange,
  type: LlmRouteType,
  hearing: Hearing,
): Heard | Reply | Promise<Heard | Reply> => {
  const { path, query } = x.request
  const named = modelInPath(path)
  const place: RequestPlace = { model: named?.model, streaming: named?.streaming }
  if (type === 'detect' || type === 'passthrough' || type === 'invoke' || type === 'realtime')
    return hearOpaque(x, type, place, hearing)
  const sse = type === 'generateContent' && named?.streaming === true && !/[?&]alt=sse(?:&|$)/.test(query)
  if (sse) return requestFailed('streaming_unsupported', 'streaming needs the query alt=sse')
  const understood = (body: HeardBody | Reply): Heard | Reply =>
    'status' in body ? body : { type, place, body, facts: factsOf(type, body.json, place), path, query }
  const body = hearBody(x, hearing.limitBytes)
  return body instanceof Promise ? body.then(understood) : understood(body)
}

const factsOf = (type: LlmRouteType, json: JsonObject, place: RequestPlace): RequestFacts => {
  if (isChatFormat(type)) return codecs[type].requestFacts(json, place)
  if (!isFormat(type)) return { model: place.model, streaming: false }
  const facts = otherRequestFacts(type, json)
  return place.model === undefined ? facts : { ...facts, model: place.model }
}
