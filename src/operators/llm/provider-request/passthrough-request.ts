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
 * Sends a request on as it came: the path by the rules of its provider, and the body byte for byte but for the name of the
 * model where another one was decided on.
 */
export const prepareOpaque = (
  x: Exchange,
  heard: ClientRequest,
  { candidate, model: pinned }: Option,
): Reply | undefined => {
  const { provider, service, passesCredentials } = candidate
  const { request } = x
  const asked = heard.facts.model
  const model = pinned ?? provider.model ?? asked
  if (!supportsPassthrough(heard.type, provider)) {
    const formats = service.formats(model ?? '', provider.settings).join(', ')
    return requestFailed(
      'unsupported_conversion',
      `unsupported conversion: from ${heard.type} to provider ${provider.telemetryName} (supported: [${formats}])`,
    )
  }
  const named = modelInPath(heard.path)
  const clientPath = named && model !== undefined && model !== asked ? named.withModel(model) : heard.path
  if (!named && model !== undefined && asked !== undefined && model !== asked) {
    const refusal = renameModel(x, model)
    if (refusal) return refusal
  }
  const { path, query } = resolvedPathOf({
    provider,
    service,
    // Some providers have a place of their own for it.
    call: heard.type === 'realtime' ? { format: 'realtime', model: model ?? '', streaming: true } : undefined,
    clientPath,
    clientQuery: heard.query,
  })
  request.path = path
  request.query = query
  if (!passesCredentials) dropClientCredentials(request)
  if (heard.type === 'detect') request.headers.delete('accept-encoding')
  if (heard.type === 'realtime') prepareRealtime(x, model)
  if (heard.type === 'invoke' && provider.settings.guardrail) guardInvocation(x, provider.settings.guardrail)
  if (x.protocol.llm) x.protocol.llm.requestModel = model
  return undefined
}

/** What other requests say in their bodies. The client's own word about it does not count. */
const guardInvocation = (
  { request: { headers } }: Exchange,
  guardrail: { id: string; version: string },
): void => {
  headers.set('x-amzn-bedrock-guardrailidentifier', guardrail.id)
  headers.set('x-amzn-bedrock-guardrailversion', guardrail.version)
}

/** The model is in the query there. Compressed messages could not be looked at. */
const prepareRealtime = ({ request }: Exchange, model: string | undefined): void => {
  request.headers.delete('sec-websocket-extensions')
  if (model === undefined) return
  const query = new URLSearchParams(request.query)
  query.set('model', model)
  request.query = `?${query.toString()}`
}

/** In a JSON body that is at hand. A form keeps what its client wrote. */
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
