import type { Exchange } from '../../../model/exchange/exchange.ts'
import type { Reply } from '../../../model/exchange/reply.ts'
import type { LlmRouteType } from '../../../model/llm/llm-backend.ts'
import { requestFailed } from '../refusals.ts'
import { inspectPassthrough } from './inspect-passthrough.ts'
import type { ClientRequest, ParseOptions } from './client-request.ts'
import { parseBody, type JsonBody } from './parse-body.ts'
import type { JsonObject } from '../../../protocols/json/json-object.ts'
import type { RequestAttributes, ProviderRequestLine } from '../../../protocols/llm/chat/codec.ts'
import { codecs } from '../../../protocols/llm/codecs.ts'
import { isChatFormat, isFormat } from '../../../protocols/llm/format.ts'
import { modelInPath } from '../../../protocols/llm/models/model-in-path.ts'
import { otherRequestAttributes } from '../../../protocols/llm/other-attributes.ts'

/** Parses a client's request: all of it if it may have to be translated, otherwise as little as possible. */
export const parseRequest = (
  x: Exchange,
  type: LlmRouteType,
  options: ParseOptions,
): ClientRequest | Reply | Promise<ClientRequest | Reply> => {
  const { path, query } = x.request
  const named = modelInPath(path)
  const target: ProviderRequestLine = { model: named?.model, streaming: named?.streaming }
  if (type === 'detect' || type === 'passthrough' || type === 'invoke' || type === 'realtime')
    return inspectPassthrough(x, type, target, options)
  const sse = type === 'generateContent' && named?.streaming === true && !/[?&]alt=sse(?:&|$)/.test(query)
  if (sse) return requestFailed('streaming_unsupported', 'streaming needs the query alt=sse')
  const parsed = (body: JsonBody | Reply): ClientRequest | Reply =>
    'status' in body
      ? body
      : { type, requestLine: target, body, attributes: attributesOf(type, body.json, target), path, query }
  const body = parseBody(x, options.limitBytes)
  return body instanceof Promise ? body.then(parsed) : parsed(body)
}

const attributesOf = (
  type: LlmRouteType,
  json: JsonObject,
  target: ProviderRequestLine,
): RequestAttributes => {
  if (isChatFormat(type)) return codecs[type].requestAttributes(json, target)
  if (!isFormat(type)) return { model: target.model, streaming: false }
  const attributes = otherRequestAttributes(type, json)
  return target.model === undefined ? attributes : { ...attributes, model: target.model }
}
