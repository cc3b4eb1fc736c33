import type { Exchange } from '../../../model/exchange.ts'
import type { Reply } from '../../../model/reply.ts'
import { BadRequest } from '../../../protocols/llm/chat/codec.ts'
import type { OtherFormat } from '../../../protocols/llm/format.ts'
import { Losses } from '../../../protocols/llm/losses.ts'
import type { Members } from '../../../protocols/llm/members.ts'
import { ObjectMembers } from '../../../protocols/llm/object-members.ts'
import { targetOf } from '../../../protocols/llm/providers/target-path.ts'
import { translateCall } from '../../../protocols/llm/translate-call.ts'
import type { TranslatedCall } from '../../../protocols/llm/translated-call.ts'
import { adaptOther } from './adapt-other.ts'
import type { ReplyLimits } from './reply-limits.ts'
import type { Answering } from './ask.ts'
import type { Option } from './candidate.ts'
import { dropClientCredentials } from './client-credentials.ts'
import { type ClientDraft, draftForProvider, type HeardJson } from './client-draft.ts'
import { requestFailed, unsupportedConversion } from './llm-refusal.ts'
import { transformFields } from './mutate-body.ts'
import { refuseRenamed, refuseUnpriced } from './priced-options.ts'
import { sendJson } from './prepare-chat.ts'
import { draftedJson } from './provider-body.ts'

/** Drafts a request that is no conversation, or refuses what its provider has no way to serve. */
export const planOther = (
  x: Exchange,
  heard: HeardJson,
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
  heard: HeardJson,
  format: OtherFormat,
  { candidate }: Option,
  { text, model }: ClientDraft,
  limits: ReplyLimits,
): Pick<Answering, 'adapt'> | Reply => {
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
  const { path, query } = targetOf({
    provider,
    service,
    call,
    clientPath: heard.path,
    clientQuery: heard.query,
  })
  sendJson(x, path, query, object ? Buffer.from(JSON.stringify(object.object)) : text.toBuffer())
  if (!passesCredentials) dropClientCredentials(x.request)
  if (x.llm) {
    x.llm.requestModel = model
    x.llm.upstreamFormat = format
    if (losses.any) x.llm.dropped = losses.fields
  }
  return {
    adapt: (reply, watch) => adaptOther(x, reply, { format, kind: provider.kind, translated, limits }, watch),
  }
}
