import type { Exchange } from '../../../model/exchange/exchange.ts'
import type { LlmRouteType } from '../../../model/llm/llm-backend.ts'
import { BufferBody } from '../../../model/exchange/body.ts'
import type { Reply } from '../../../model/exchange/reply.ts'
import type { ProviderRequestLine } from '../../../protocols/llm/chat/codec.ts'
import { isBuffered, setBuffered } from '../../body/buffer-body.ts'
import { readAhead } from '../../body/read-prefix.ts'
import { decodeContentEncoding } from './content-encoding.ts'
import type { ClientRequest, ParseOptions } from './client-request.ts'
import { tooLarge } from './parse-body.ts'
import { isMultipartForm, isJsonLike, peekModel, type ModelHint, findModel } from './find-model.ts'
import { SingleModelForm } from './single-model-form.ts'

/**
 * Inspects a request that passes to its provider unchanged. Its body is read up to the limit, to find the model; a
 * longer body streams on, and is never buffered whole.
 *
 * If the model determines the provider, ambiguous requests are refused: duplicate fields, and JSON above the limit.
 */
export const inspectPassthrough = (
  x: Exchange,
  type: LlmRouteType,
  target: ProviderRequestLine,
  { limitBytes, byModel }: ParseOptions,
): ClientRequest | Reply | Promise<ClientRequest | Reply> => {
  const { request } = x
  const { path, query, body, headers } = request
  const inQuery = new URLSearchParams(query).get('model') ?? undefined
  const model = target.model ?? (type === 'realtime' ? inQuery : undefined)
  const streaming = target.streaming ?? false
  const clientRequest = (hint: ModelHint | undefined): ClientRequest => {
    const attributes = { model: model ?? hint?.model, streaming: streaming || (hint?.streaming ?? false) }
    return {
      type,
      requestLine: { model, streaming: target.streaming },
      body: undefined,
      attributes,
      path,
      query,
    }
  }
  // Nothing of the body is needed, unless it determines the provider.
  if (model !== undefined || (type === 'passthrough' && !byModel)) return clientRequest(undefined)
  const contentType = headers.get('content-type') ?? ''
  const inspect = (): ClientRequest | Reply => {
    const bytes = request.body instanceof BufferBody ? request.body.bytes : empty
    const hint = byModel ? findModel(bytes, contentType) : peekModel(bytes, contentType)
    return 'status' in hint ? hint : clientRequest(hint)
  }
  const decodeAndInspect = (): ClientRequest | Reply | Promise<ClientRequest | Reply> => {
    const decoding = byModel ? decodeContentEncoding(request, limitBytes) : undefined
    return decoding ? decoding.then((refusal) => refusal ?? inspect()) : inspect()
  }
  if (isBuffered(body)) return decodeAndInspect()
  return readAhead(body, limitBytes).then((ahead) => {
    if ('whole' in ahead) {
      setBuffered(request, ahead.whole)
      return decodeAndInspect()
    }
    const beginning = ahead.longer.beginning()
    request.body = ahead.longer
    if (!byModel) return clientRequest(peekModel(beginning, contentType))
    if (headers.has('content-encoding') || isJsonLike(beginning, contentType)) return tooLarge(limitBytes)
    if (isMultipartForm(contentType)) request.body = new SingleModelForm(ahead.longer, contentType)
    const hint = findModel(beginning, contentType)
    return 'status' in hint ? hint : clientRequest(hint)
  })
}

const empty = Buffer.alloc(0)
