import { BufferBody } from '../../../model/body.ts'
import type { Exchange } from '../../../model/exchange.ts'
import type { LlmProviderKind } from '../../../model/llm.ts'
import { Reply } from '../../../model/reply.ts'
import type { JsonObject } from '../../../protocols/json/json-object.ts'
import { readJsonObject } from '../../../protocols/json/read-json.ts'
import { BadReply, BadRequest } from '../../../protocols/llm/chat/codec.ts'
import type { ChatFormat, OtherFormat } from '../../../protocols/llm/format.ts'
import { Losses } from '../../../protocols/llm/losses.ts'
import type { Members } from '../../../protocols/llm/members.ts'
import { ObjectMembers } from '../../../protocols/llm/object-members.ts'
import { otherReplyFacts } from '../../../protocols/llm/other-facts.ts'
import { targetOf } from '../../../protocols/llm/providers/target-path.ts'
import { countedTokens } from '../../../protocols/llm/token-count/counted.ts'
import { translateCall } from '../../../protocols/llm/translate-call.ts'
import type { TranslatedCall } from '../../../protocols/llm/translated-call.ts'
import { adaptError } from './adapt-error.ts'
import type { ReplyLimits } from './reply-limits.ts'
import type { Answering } from './ask.ts'
import type { Option } from './candidate.ts'
import { dropClientCredentials } from './client-credentials.ts'
import { type ClientDraft, draftForProvider, type HeardJson } from './client-draft.ts'
import { replyFailed, requestFailed, unsupportedConversion } from './llm-refusal.ts'
import { dialectOf } from './llm-tongue.ts'
import { transformFields } from './mutate-body.ts'
import { PassedWhole } from './passed-whole.ts'
import { refuseRenamed, refuseUnpriced } from './priced-options.ts'
import { sendJson } from './prepare-chat.ts'
import { draftedJson } from './provider-body.ts'
import { readReply } from './read-reply.ts'
import type { StreamWatch } from './stream-watch.ts'

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

interface Asked {
  readonly format: OtherFormat
  readonly kind: LlmProviderKind
  /** Undefined if the answer is in the client's format already. */
  readonly translated: TranslatedCall | undefined
  readonly limits: ReplyLimits
}

const adaptOther = (
  x: Exchange,
  reply: Reply,
  { format, kind, translated, limits }: Asked,
  watch: StreamWatch,
): Reply | Promise<Reply> => {
  const client = dialectOf(format)
  if (reply.status < 200 || reply.status >= 300)
    return adaptError(x, reply, { client, upstream: errorDialects[kind] ?? client }, watch)
  if (translated) return adaptTranslated(x, reply, format, translated, limits, watch)
  reply.body = new PassedWhole(reply.body, (said, outcome, problem) => {
    takeCount(x, format, said)
    watch.ended(said ? otherReplyFacts(format, said) : {}, outcome, problem)
  })
  return reply
}

/** How providers with an interface of their own write errors. */
const errorDialects: Partial<Record<LlmProviderKind, ChatFormat>> = {
  vertex: 'generateContent',
  gemini: 'generateContent',
  bedrock: 'converse',
}

const adaptTranslated = async (
  x: Exchange,
  reply: Reply,
  format: OtherFormat,
  translated: TranslatedCall,
  { replyBytes }: ReplyLimits,
  watch: StreamWatch,
): Promise<Reply> => {
  const bytes = await readReply(x, reply, replyBytes)
  const failed = (problem: Reply): Reply => {
    watch.ended({}, 'failed', problem.error)
    return problem
  }
  if (bytes instanceof Reply) return failed(bytes)
  const body = readJsonObject(bytes.toString())
  if (!body) return failed(replyFailed('invalid_reply', 'failed to parse response'))
  try {
    const said = translated.reply(body, reply.headers)
    const written = Buffer.from(JSON.stringify(said))
    reply.body = new BufferBody(written)
    reply.headers.delete('content-encoding')
    reply.headers.set('content-type', 'application/json')
    reply.headers.set('content-length', String(written.length))
    takeCount(x, format, said)
    watch.ended(otherReplyFacts(format, said), 'answered')
    return reply
  } catch (problem) {
    if (problem instanceof BadReply)
      return failed(replyFailed('invalid_reply', `invalid response: ${problem.message}`))
    throw problem
  }
}

const takeCount = ({ llm }: Exchange, format: OtherFormat, said: JsonObject | undefined): void => {
  if (llm && said && (format === 'anthropicTokenCount' || format === 'geminiCountTokens'))
    llm.countTokens = countedTokens(said)
}
