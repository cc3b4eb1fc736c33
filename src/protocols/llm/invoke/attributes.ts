import { jsonObjectOr, type JsonObject } from '../../json/json-object.ts'
import { readJsonObject } from '../../json/read-json.ts'
import type { ReplyFacts, StreamFacts } from '../chat/codec.ts'
import { usageIn } from '../converse/usage.ts'
import { MessagesStreamFacts, replyFacts } from '../messages/facts.ts'
import type { ReplyHeaders } from '../translated-call.ts'
import type { Usage } from '../usage.ts'

/** What Bedrock says in headers that an invocation has used, for all models alike; undefined if it says nothing. */
export const invokeUsageSaid = (headers: ReplyHeaders): Usage | undefined => {
  const count = (name: string): number | undefined => {
    const text = headers.get(`x-amzn-bedrock-${name}-token-count`)
    return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined
  }
  return known({
    inputTokens: count('input'),
    outputTokens: count('output'),
    cacheReadInputTokens: count('cache-read-input'),
    cacheWriteInputTokens: count('cache-write-input'),
  })
}

/**
 * What a whole answer of `InvokeModel` says of itself. Its body is as each model writes it, of which Anthropic's is known.
 *
 * @param usage What its headers say, which counts.
 */
export const invokeReplyFacts = (usage: Usage | undefined, body: JsonObject | undefined): ReplyFacts => {
  const facts = body ? replyFacts(body) : {}
  return { ...facts, usage: usage ?? facts.usage }
}

/**
 * The same of a stream, whose frames hold pieces of the model's own stream in base64. Bedrock adds what was used to the last
 * of them; models of Anthropic say some of it before, which is what there is if nobody waits for the end.
 */
export class InvokeStreamFacts implements StreamFacts {
  readonly #claude = new MessagesStreamFacts()
  #usage: Usage | undefined = undefined
  /** No piece says that it is the last one for every model: whoever cuts a stream off does so by breaking it. */
  isComplete = true

  concerns(): boolean {
    return true
  }

  push(name: string | undefined, data: string): void {
    if (name !== 'chunk') return
    const piece = pieceIn(data)
    if (!piece) return
    const metrics = piece.includes(METRICS) ? readJsonObject(piece.toString())?.[METRICS] : undefined
    if (metrics) this.#usage = usageCounted(jsonObjectOr(metrics))
    else if (this.#claude.concerns(piece)) this.#claude.push(undefined, piece.toString())
  }

  get facts(): ReplyFacts {
    const { facts } = this.#claude
    return { ...facts, usage: this.#usage ?? facts.usage }
  }
}

const METRICS = 'amazon-bedrock-invocationMetrics'

const usageCounted = (metrics: JsonObject): Usage | undefined =>
  known({
    inputTokens: metrics.inputTokenCount,
    outputTokens: metrics.outputTokenCount,
    cacheReadInputTokens: metrics.cacheReadInputTokenCount,
    cacheWriteInputTokens: metrics.cacheWriteInputTokenCount,
  })

/** Figures of nothing are no figures. */
const known = (figures: JsonObject): Usage | undefined =>
  Object.values(figures).some((figure) => typeof figure === 'number') ? usageIn(figures) : undefined

const pieceIn = (data: string): Buffer | undefined => {
  const bytes = readJsonObject(data)?.bytes
  return typeof bytes === 'string' ? Buffer.from(bytes, 'base64') : undefined
}
