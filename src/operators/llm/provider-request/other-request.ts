import type { Exchange } from '../../../model/exchange/exchange.ts'
import type { Reply } from '../../../model/exchange/reply.ts'
import { sendJson } from './chat-request.ts'
import { transformFields } from './mutate-body.ts'
import { type ClientDraft, draftForProvider, type ParsedJsonRequest } from './mutated-request.ts'
import { draftedJson } from './provider-body.ts'
import { requestFailed, unsupportedConversion } from '../refusals.ts'
import { adaptOther } from '../reply/adapt-other.ts'
import type { ReplyLimits } from '../reply/provider-reply.ts'
import { dropClientCredentials } from '../request/client-credentials.ts'
import type { PreparedCall } from '../routing/provider-call.ts'
import type { Option } from '../routing/provider-target.ts'
import { refuseRenamed, refuseUnpriced } from '../routing/require-price.ts'
import type { JsonObject } from '../../../protocols/json/json-object.ts'
import { BadRequest } from '../../../protocols/llm/chat/codec.ts'
import { Losses } from '../../../protocols/llm/dropped-fields.ts'
import type { OtherFormat } from '../../../protocols/llm/format.ts'
import type { Members } from '../../../protocols/llm/members/members.ts'
import { ObjectMembers } from '../../../protocols/llm/members/object-members.ts'
import { resolvedPathOf } from '../../../protocols/llm/providers/target-path.ts'
import { translateCall } from '../../../protocols/llm/translate-call.ts'
import type { TranslatedCall } from '../../../protocols/llm/translated-call.ts'

/** Whether the input of an embeddings request contains token ids instead of text. Guards cannot read those. */
export const isTokenizedInput = ({ input }: JsonObject): boolean =>
  isNumber(input) ||
  (Array.isArray(input) && input.some((one) => isNumber(one) || (Array.isArray(one) && one.some(isNumber))))

const isNumber = (value: unknown): boolean => typeof value === 'number'

/** Drafts a request that is not a conversation; a refusal if its provider cannot serve it. */
export const planOther = (
  x: Exchange,
  clientRequest: ParsedJsonRequest,
  format: OtherFormat,
  option: Option,
): ClientDraft | Reply => {
  const { provider, service } = option.candidate
  const draft = draftForProvider(x, clientRequest, format, option)
  const refusal = refuseUnpriced(x, provider, clientRequest, draft.model)
  if (refusal) return refusal
  const formats = service.formats(draft.model, provider.settings)
  return formats.includes(format) ? draft : unsupportedConversion(format, provider, formats)
}

/** Replaces a request that is not a conversation with the one for its provider: embeddings, ranking, counting. */
export const prepareOther = (
  x: Exchange,
  clientRequest: ParsedJsonRequest,
  format: OtherFormat,
  { candidate }: Option,
  { text, model }: ClientDraft,
  limits: ReplyLimits,
): Pick<PreparedCall, 'adapt'> | Reply => {
  const { provider, service, finalTransformation, passesCredentials } = candidate
  const { settings } = provider
  const translate = translateCall(provider.kind, settings, format, model)
  let translated: TranslatedCall | undefined
  const losses = new Losses()
  try {
    translated = translate?.(draftedJson(text, clientRequest.body.json), model, losses)
  } catch (problem) {
    if (problem instanceof BadRequest) return requestFailed('invalid_request', problem.message)
    throw problem
  }
  const object = translated && new ObjectMembers({ ...translated.body })
  const members: Members = object ?? text
  const call = { format, model, streaming: false }
  service.finishBody(members, call, settings)
  if (finalTransformation.length) {
    transformFields(members, finalTransformation, x)
    const refusal = refuseRenamed(x, provider, clientRequest, members)
    if (refusal) return refusal
  }
  const { path, query } = resolvedPathOf({
    provider,
    service,
    call,
    clientPath: clientRequest.path,
    clientQuery: clientRequest.query,
  })
  sendJson(x, path, query, object ? Buffer.from(JSON.stringify(object.object)) : text.toBuffer())
  if (!passesCredentials) dropClientCredentials(x.request)
  const { llm } = x.protocol
  if (llm) {
    llm.requestModel = model
    llm.upstreamFormat = format
    if (losses.any) llm.dropped = losses.fields
  }
  return {
    adapt: (reply, watch) => adaptOther(x, reply, { format, kind: provider.kind, translated, limits }, watch),
  }
}
