import { BufferBody } from '../../../model/exchange/body.ts'
import type { Exchange } from '../../../model/exchange/exchange.ts'
import type { Reply } from '../../../model/exchange/reply.ts'
import { EditableObject } from '../../../protocols/json/editable-object.ts'
import { modelInPath } from '../../../protocols/llm/models/model-in-path.ts'
import { supportsPassthrough } from '../../../protocols/llm/providers/supports-passthrough.ts'
import { resolvedPathOf } from '../../../protocols/llm/providers/target-path.ts'
import type { Option } from '../routing/provider-target.ts'
import { dropClientCredentials } from '../request/client-credentials.ts'
import type { ClientRequest } from '../request/client-request.ts'
import { refuseRequest, requestFailed } from '../refusals.ts'

/**
 * Prepares a request that passes unparsed: the path by the rules of its provider, the body byte for byte, except for
 * the name of the model if that is replaced.
 */
export const prepareOpaque = (
  x: Exchange,
  clientRequest: ClientRequest,
  { candidate, model: pinned }: Option,
): Reply | undefined => {
  const { provider, service, passesCredentials } = candidate
  const { request } = x
  const requestedModel = clientRequest.attributes.model
  const model = pinned ?? provider.model ?? requestedModel
  if (!supportsPassthrough(clientRequest.type, provider)) {
    const formats = service.formats(model ?? '', provider.settings).join(', ')
    return requestFailed(
      'unsupported_conversion',
      `unsupported conversion: from ${clientRequest.type} to provider ${provider.telemetryName} (supported: [${formats}])`,
    )
  }
  const named = modelInPath(clientRequest.path)
  const clientPath =
    named && model !== undefined && model !== requestedModel ? named.withModel(model) : clientRequest.path
  if (!named && model !== undefined && requestedModel !== undefined && model !== requestedModel) {
    const refusal = renameModel(x, model)
    if (refusal) return refusal
  }
  const { path, query } = resolvedPathOf({
    provider,
    service,
    // Some providers have a separate address for sessions.
    call:
      clientRequest.type === 'realtime'
        ? { format: 'realtime', model: model ?? '', streaming: true }
        : undefined,
    clientPath,
    clientQuery: clientRequest.query,
  })
  request.path = path
  request.query = query
  if (!passesCredentials) dropClientCredentials(request)
  if (clientRequest.type === 'detect') request.headers.delete('accept-encoding')
  if (clientRequest.type === 'realtime') prepareRealtime(x, model)
  if (clientRequest.type === 'invoke' && provider.settings.guardrail)
    guardInvocation(x, provider.settings.guardrail)
  if (x.protocol.llm) x.protocol.llm.requestModel = model
  return undefined
}

/** Other requests have it in their bodies. The client's own headers do not count. */
const guardInvocation = (
  { request: { headers } }: Exchange,
  guardrail: { id: string; version: string },
): void => {
  headers.set('x-amzn-bedrock-guardrailidentifier', guardrail.id)
  headers.set('x-amzn-bedrock-guardrailversion', guardrail.version)
}

/** The model is in the query of a session. Compressed messages could not be inspected. */
const prepareRealtime = ({ request }: Exchange, model: string | undefined): void => {
  request.headers.delete('sec-websocket-extensions')
  if (model === undefined) return
  const query = new URLSearchParams(request.query)
  query.set('model', model)
  request.query = `?${query.toString()}`
}

/** In a JSON body that is buffered. A form keeps the client's model. */
const renameModel = (x: Exchange, model: string): Reply | undefined => {
  const { request } = x
  if (!(request.headers.get('content-type') ?? '').includes('json')) return undefined
  const text = request.body instanceof BufferBody ? EditableObject.of(request.body.bytes) : undefined
  if (!text || 'problem' in text)
    return refuseRequest(400, 'request_body_rewrite_failed', 'Failed to rewrite LLM request body model')
  text.set('model', model)
  const bytes = text.toBuffer()
  request.body = new BufferBody(bytes)
  request.headers.set('content-length', String(bytes.length))
  return undefined
}
