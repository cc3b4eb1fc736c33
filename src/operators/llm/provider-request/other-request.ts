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

/** Whether a request for embeddings says, be it in part, by their numbers which tokens it means: words that nobody reads. */
export const isTokenizedInput = ({ input }: JsonObject): boolean =>
  isNumber(input) ||
  (Array.isArray(input) && input.some((one) => isNumber(one) || (Array.isArray(one) && one.some(isNumber))))

const isNumber = (value: unknown): boolean => typeof value === 'number'

/** Drafts a request that is no conversation, or refuses what its provider has no way to serve. */
export const planOther = (
  x: Exchange,
  heard: ParsedJsonRequest,
  format: OtherFormat,
  option: Option,
): ClientDraft | Reply => {
  const { provider, service } = option.candidate
  const draft = draftForProvider(x, heard, format, option)
  const refusal = refuseUnpriced(x, provider, heard, draft.model)
  if (refusal) return refusal
  const formats = service.formats(draft.model, provider.settings)
  return formats.includes(format) ? draft : unsupportedConversion(format, provider, formats)
}

/** Makes a request that is no conversation the one that its provider gets: embeddings, ranking, counting. */
export const prepareOther = (
  x: Exchange,
  heard: ParsedJsonRequest,
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
    translated = translate?.(draftedJson(text, heard.body.json), model, losses)
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
    const refusal = refuseRenamed(x, provider, heard, members)
    if (refusal) return refusal
  }
  const { path, query } = resolvedPathOf({
    provider,
    service,
    call,
    clientPath: heard.path,
    clientQuery: heard.query,
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
