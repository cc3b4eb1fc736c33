import type { LlmCall, LlmSaid } from '../../../model/llm-call.ts'
import type { JsonObject } from '../../../protocols/json/json-object.ts'
import {
  BadReply,
  BadRequest,
  type ReplyFacts,
  type RequestPlace,
  type StreamFacts,
} from '../../../protocols/llm/chat/codec.ts'
import type { StreamDecoder } from '../../../protocols/llm/chat/events.ts'
import { promptIn, saidIn, SaidInStream } from '../../../protocols/llm/chat/said.ts'
import { codecs } from '../../../protocols/llm/codecs.ts'
import { type ChatFormat, isChatFormat } from '../../../protocols/llm/format.ts'
import { Losses } from '../../../protocols/llm/losses.ts'
import type { Heard } from './heard.ts'

/** What expressions read of conversations. Nothing else of them is kept. */
export interface LlmReads {
  readonly prompt: boolean
  readonly reply: boolean
}

/** Lets expressions read what the client says; it is read again only if one does. */
export const rememberPrompt = (call: LlmCall, { type, body, place }: Heard): void => {
  if (!body || !isChatFormat(type)) return
  const { json } = body
  call.promptFrom(() => promptOf(type, json, place))
}

/** Lets expressions read a whole answer. */
export const rememberReply = (call: LlmCall, format: ChatFormat, body: JsonObject): void => {
  let said: LlmSaid | undefined
  call.replyFrom(() => (said ??= saidOf(format, body)))
}

/** Hears a stream, and lets expressions read what it said so far. */
export const rememberStream = (call: LlmCall, limit: number): SaidInStream['hear'] => {
  const stream = new SaidInStream(limit)
  call.replyFrom(() => stream.said)
  return stream.hear
}

/** Facts of a stream that is read in full for those who want to know what it says. */
export class RememberedFacts implements StreamFacts {
  readonly #facts: StreamFacts
  readonly #decoder: StreamDecoder
  readonly #hear: SaidInStream['hear']

  constructor(facts: StreamFacts, format: ChatFormat, hear: SaidInStream['hear']) {
    this.#facts = facts
    this.#decoder = codecs[format].decodeStream()
    this.#hear = hear
  }

  get facts(): ReplyFacts {
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

const saidOf = (format: ChatFormat, body: JsonObject): LlmSaid => {
  try {
    return saidIn(codecs[format].decodeReply(body, new Losses()).parts)
  } catch (problem) {
    if (problem instanceof BadReply) return { completion: [], toolCalls: [] }
    throw problem
  }
}

const promptOf = (format: ChatFormat, json: JsonObject, place: RequestPlace): readonly object[] => {
  try {
    return promptIn(codecs[format].decodeRequest(json, place, new Losses()))
  } catch (problem) {
    if (problem instanceof BadRequest) return []
    throw problem
  }
}
