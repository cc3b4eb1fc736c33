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
export const capturePrompt = (call: LlmCall, { type, body, requestLine }: ClientRequest): void => {
  if (!body || !isChatFormat(type)) return
  const { json } = body
  call.promptFrom(() => promptOf(type, json, requestLine))
}

/** Makes a whole response available to expressions. */
export const captureReply = (call: LlmCall, format: ChatFormat, body: JsonObject): void => {
  let content: LlmContent | undefined
  call.replyFrom(() => (content ??= contentOf(format, body)))
}

/** Captures a stream, and makes the part received so far available to expressions. */
export const captureStream = (call: LlmCall, limit: number): StreamContent['onEvent'] => {
  const stream = new StreamContent(limit)
  call.replyFrom(() => stream.content)
  return stream.onEvent
}

/** Attributes of a stream that is decoded in full, to capture its content. */
export class CapturedContent implements StreamAttributes {
  readonly #attributes: StreamAttributes
  readonly #decoder: StreamDecoder
  readonly #onEvent: StreamContent['onEvent']

  constructor(attributes: StreamAttributes, format: ChatFormat, onEvent: StreamContent['onEvent']) {
    this.#attributes = attributes
    this.#decoder = codecs[format].decodeStream()
    this.#onEvent = onEvent
  }

  get attributes(): ReplyAttributes {
    return this.#attributes.attributes
  }

  get isComplete(): boolean {
    return this.#attributes.isComplete
  }

  concerns(): boolean {
    return true
  }

  pass(events: Buffer): void {
    this.#attributes.pass?.(events)
  }

  push(name: string | undefined, data: string): void {
    this.#attributes.push(name, data)
    this.#decoder.push(name, data, this.#onEvent)
  }
}

const contentOf = (format: ChatFormat, body: JsonObject): LlmContent => {
  try {
    return contentIn(codecs[format].decodeReply(body, new Losses()).parts)
  } catch (problem) {
    if (problem instanceof BadReply) return { completion: [], toolCalls: [] }
    throw problem
  }
}

const promptOf = (
  format: ChatFormat,
  json: JsonObject,
  requestLine: ProviderRequestLine,
): readonly object[] => {
  try {
    return promptIn(codecs[format].decodeRequest(json, requestLine, new Losses()))
  } catch (problem) {
    if (problem instanceof BadRequest) return []
    throw problem
  }
}
