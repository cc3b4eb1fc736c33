import { jsonObjectOr, type JsonObject } from '../../json/json-object.ts'
import { readJsonObject } from '../../json/read-json.ts'
import type { ReplyAttributes, StreamAttributes } from '../chat/codec.ts'
import { usageIn } from '../converse/usage.ts'
import { MessagesStreamAttributes, replyAttributes } from '../messages/attributes.ts'
import type { ReplyHeaders } from '../translated-call.ts'
import type { Usage } from '../usage.ts'

/** The usage that Bedrock reports in headers, the same for every model; undefined if there is none. */
export const invokeUsageHeaders = (headers: ReplyHeaders): Usage | undefined => {
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
 * The attributes of a whole `InvokeModel` response. Its body is in the model's own format, of which only Anthropic's is
 * supported.
 *
 * @param usage From its headers; takes precedence.
 */
export const invokeReplyAttributes = (
  usage: Usage | undefined,
  body: JsonObject | undefined,
): ReplyAttributes => {
  const attributes = body ? replyAttributes(body) : {}
  return { ...attributes, usage: usage ?? attributes.usage }
}

/**
 * Collects the attributes of a stream, whose frames contain pieces of the model's own stream in base64. Bedrock adds
 * the usage to the last of them; Anthropic's models report some of it earlier, which is used if the client disconnects
 * before the end.
 */
export class InvokeStreamAttributes implements StreamAttributes {
  readonly #claude = new MessagesStreamAttributes()
  #usage: Usage | undefined = undefined
  /** No piece marks the end for every model: only a broken connection shows truncation. */
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

  get attributes(): ReplyAttributes {
    const { attributes } = this.#claude
    return { ...attributes, usage: this.#usage ?? attributes.usage }
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

/** Undefined without figures. */
const known = (figures: JsonObject): Usage | undefined =>
  Object.values(figures).some((figure) => typeof figure === 'number') ? usageIn(figures) : undefined

const pieceIn = (data: string): Buffer | undefined => {
  const bytes = readJsonObject(data)?.bytes
  return typeof bytes === 'string' ? Buffer.from(bytes, 'base64') : undefined
}
