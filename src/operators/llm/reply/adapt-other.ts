import type { Exchange } from '../../../model/exchange/exchange.ts'
import type { LlmProviderKind } from '../../../model/llm/llm-backend.ts'
import type { Reply } from '../../../model/exchange/reply.ts'
import type { JsonObject } from '../../../protocols/json/json-object.ts'
import { readJsonObject } from '../../../protocols/json/read-json.ts'
import { BadReply } from '../../../protocols/llm/chat/codec.ts'
import type { ChatFormat, OtherFormat } from '../../../protocols/llm/format.ts'
import { otherReplyAttributes } from '../../../protocols/llm/other-attributes.ts'
import { countedTokens } from '../../../protocols/llm/token-count/reply.ts'
import type { TranslatedCall } from '../../../protocols/llm/translated-call.ts'
import { adaptError } from './adapt-error.ts'
import { replyFailed } from '../refusals.ts'
import { errorChatFormat } from '../local-reply-format.ts'
import { PassthroughBody } from './passthrough-body.ts'
import { readReply } from './read-reply.ts'
import type { ReplyLimits } from './provider-reply.ts'
import { endFailed, type StreamObserver } from './stream-observer.ts'
import { writeJsonReply } from './write-reply.ts'

/** A call that is not a chat. */
export interface OtherCall {
  readonly format: OtherFormat
  readonly kind: LlmProviderKind
  /** Undefined if the response is in the client's format already. */
  readonly translated: TranslatedCall | undefined
  readonly limits: ReplyLimits
}

/** Converts the response to a request that is not a chat. */
export const adaptOther = (
  x: Exchange,
  reply: Reply,
  call: OtherCall,
  watch: StreamObserver,
): Reply | Promise<Reply> => {
  const { format, kind, translated } = call
  const client = errorChatFormat(format)
  if (reply.status < 200 || reply.status >= 300)
    return adaptError(x, reply, { client, upstream: errorFormats[kind] ?? client }, watch)
  if (translated) return translate(x, reply, { ...call, translated }, watch)
  reply.body = new PassthroughBody(reply.body, (result, outcome, problem) => {
    recordCount(x, format, result)
    watch.ended(result ? otherReplyAttributes(format, result) : {}, outcome, problem)
  })
  return reply
}

/** Error formats of providers with their own API. */
const errorFormats: Partial<Record<LlmProviderKind, ChatFormat>> = {
  vertex: 'generateContent',
  gemini: 'generateContent',
  bedrock: 'converse',
}

const translate = async (
  x: Exchange,
  reply: Reply,
  { format, translated, limits }: OtherCall & { readonly translated: TranslatedCall },
  watch: StreamObserver,
): Promise<Reply> => {
  const bytes = await readReply(x, reply, limits.replyBytes)
  if (!Buffer.isBuffer(bytes)) return endFailed(watch, bytes)
  const body = readJsonObject(bytes.toString())
  if (!body) return endFailed(watch, replyFailed('invalid_reply', 'failed to parse response'))
  try {
    const result = translated.reply(body, reply.headers)
    writeJsonReply(reply, result)
    recordCount(x, format, result)
    watch.ended(otherReplyAttributes(format, result), 'answered')
    return reply
  } catch (problem) {
    if (!(problem instanceof BadReply)) throw problem
    return endFailed(watch, replyFailed('invalid_reply', `invalid response: ${problem.message}`))
  }
}

const recordCount = ({ protocol }: Exchange, format: OtherFormat, result: JsonObject | undefined): void => {
  const { llm } = protocol
  if (llm && result && (format === 'anthropicTokenCount' || format === 'geminiCountTokens'))
    llm.countTokens = countedTokens(result)
}
