import type { Exchange } from '../../../model/exchange.ts'
import type { LlmProviderKind } from '../../../model/llm.ts'
import type { Reply } from '../../../model/reply.ts'
import type { JsonObject } from '../../../protocols/json/json-object.ts'
import { readJsonObject } from '../../../protocols/json/read-json.ts'
import { BadReply } from '../../../protocols/llm/chat/codec.ts'
import type { ChatFormat, OtherFormat } from '../../../protocols/llm/format.ts'
import { otherReplyFacts } from '../../../protocols/llm/other-facts.ts'
import { countedTokens } from '../../../protocols/llm/token-count/counted.ts'
import type { TranslatedCall } from '../../../protocols/llm/translated-call.ts'
import { adaptError } from './adapt-error.ts'
import { replyFailed } from './llm-refusal.ts'
import { dialectOf } from './llm-tongue.ts'
import { PassedWhole } from './passed-whole.ts'
import { readReply } from './read-reply.ts'
import type { ReplyLimits } from './reply-limits.ts'
import { endFailed, type StreamWatch } from './stream-watch.ts'
import { writeJson } from './write-reply.ts'

/** What was asked that is no conversation, and of whom. */
export interface OtherCall {
  readonly format: OtherFormat
  readonly kind: LlmProviderKind
  /** Undefined if the answer is in the client's format already. */
  readonly translated: TranslatedCall | undefined
  readonly limits: ReplyLimits
}

/** Makes the client's answer of what a provider says to a request that is no conversation. */
export const adaptOther = (
  x: Exchange,
  reply: Reply,
  call: OtherCall,
  watch: StreamWatch,
): Reply | Promise<Reply> => {
  const { format, kind, translated } = call
  const client = dialectOf(format)
  if (reply.status < 200 || reply.status >= 300)
    return adaptError(x, reply, { client, upstream: errorDialects[kind] ?? client }, watch)
  if (translated) return translate(x, reply, { ...call, translated }, watch)
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

const translate = async (
  x: Exchange,
  reply: Reply,
  { format, translated, limits }: OtherCall & { readonly translated: TranslatedCall },
  watch: StreamWatch,
): Promise<Reply> => {
  const bytes = await readReply(x, reply, limits.replyBytes)
  if (!Buffer.isBuffer(bytes)) return endFailed(watch, bytes)
  const body = readJsonObject(bytes.toString())
  if (!body) return endFailed(watch, replyFailed('invalid_reply', 'failed to parse response'))
  try {
    const said = translated.reply(body, reply.headers)
    writeJson(reply, said)
    takeCount(x, format, said)
    watch.ended(otherReplyFacts(format, said), 'answered')
    return reply
  } catch (problem) {
    if (!(problem instanceof BadReply)) throw problem
    return endFailed(watch, replyFailed('invalid_reply', `invalid response: ${problem.message}`))
  }
}

const takeCount = ({ llm }: Exchange, format: OtherFormat, said: JsonObject | undefined): void => {
  if (llm && said && (format === 'anthropicTokenCount' || format === 'geminiCountTokens'))
    llm.countTokens = countedTokens(said)
}
