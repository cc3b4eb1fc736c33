import type { LlmCall, LlmContent } from '../../../model/llm/llm-call.ts'
import type { JsonObject } from '../../../protocols/json/json-object.ts'
import {
  BadReply,
  BadRequest,
  type ReplyAttributes,
  type ProviderRequestLine,
  type StreamAttributes,
} from '../../../protocols/llm/chat/codec.ts'
import type { StreamDecoder } from '../../../protocols/llm/chat/events.ts'
import { promptIn, contentIn, StreamContent } from '../../../protocols/llm/chat/content-capture.ts'
import { codecs } from '../../../protocols/llm/codecs.ts'
import { type ChatFormat, isChatFormat } from '../../../protocols/llm/format.ts'
import { Losses } from '../../../protocols/llm/dropped-fields.ts'
import type { ClientRequest } from '../request/client-request.ts'

/** What expressions read of conversations. Nothing else is kept. */
export interface LlmReads {
  readonly prompt: boolean
  readonly reply: boolean
}

/** Makes the prompt available to expressions; it is decoded again only if one reads it. */
export const capturePrompt = (call: LlmCall, { type, body, place }: ClientRequest): void => {
  if (!body || !isChatFormat(type)) return
  const { json } = body
  call.promptFrom(() => promptOf(type, json, place))
}

/** Makes a whole response available to expressions. */
export const captureReply = (call: LlmCall, format: ChatFormat, body: JsonObject): void => {
  let said: LlmContent | undefined
  call.replyFrom(() => (said ??= saidOf(format, body)))
}

/** Captures a stream, and makes the part received so far available to expressions. */
export const captureStream = (call: LlmCall, limit: number): StreamContent['hear'] => {
  const stream = new StreamContent(limit)
  call.replyFrom(() => stream.said)
  return stream.hear
}

/** Attributes of a stream that is decoded in full, to capture its content. */
export class CapturedContent implements StreamAttributes {
  readonly #facts: StreamAttributes
  readonly #decoder: StreamDecoder
  readonly #hear: StreamContent['hear']

  constructor(facts: StreamAttributes, format: ChatFormat, hear: StreamContent['hear']) {
    this.#facts = facts
    this.#decoder = codecs[format].decodeStream()
    this.#hear = hear
  }

  get facts(): ReplyAttributes {
    return this.#facts.facts
  }

  get isComplete(): boolean {
    return this.#facts.isComplete
  }

  concerns(): boolean {
    return true
  }

  pass(events: Buffer): void {
    this.#facts.pass?.(events)
  }

  push(name: string | undefined, data: string): void {
    this.#facts.push(name, data)
    this.#decoder.push(name, data, this.#hear)
  }
}

const saidOf = (format: ChatFormat, body: JsonObject): LlmContent => {
  try {
    return contentIn(codecs[format].decodeReply(body, new Losses()).parts)
  } catch (problem) {
    if (problem instanceof BadReply) return { completion: [], toolCalls: [] }
    throw problem
  }
}

const promptOf = (format: ChatFormat, json: JsonObject, place: ProviderRequestLine): readonly object[] => {
  try {
    return promptIn(codecs[format].decodeRequest(json, place, new Losses()))
  } catch (problem) {
    if (problem instanceof BadRequest) return []
    throw problem
  }
}
