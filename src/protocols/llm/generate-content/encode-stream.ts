import type { JsonObject } from '../../json/json-object.ts'
import type { ReplyOptions } from '../chat/codec.ts'
import type { BlockStart, ChatEvent, StreamEncoder } from '../chat/events.ts'
import type { Finish } from '../chat/reply.ts'
import { Losses } from '../dropped-fields.ts'
import { mergeUsage, type Usage } from '../usage.ts'
import { argumentsIn } from '../chat/arguments.ts'
import { encodeStreamError } from './errors.ts'
import { MALFORMED_CALL, reasonOf } from './finish-reason.ts'
import { usageMetadata } from './usage.ts'

/**
 * Encodes the chunks of `streamGenerateContent?alt=sse`. Function calls are whole in this format: each is buffered
 * until its arguments are complete. The last chunk has the finish reason and the usage.
 */
export class GenerateContentEncoder implements StreamEncoder {
  readonly #options: ReplyOptions
  readonly #losses: Losses
  /** The members of the reply that every chunk has, as the end of its JSON text. */
  #identity = ''
  readonly #thoughts = new Set<number>()
  readonly #calls = new Map<number, OpenCall>()
  #usage: Usage | undefined = undefined
  #finish: Finish = 'stop'
  #hasMalformedCall = false

  constructor(options: ReplyOptions, losses = new Losses()) {
    this.#options = options
    this.#losses = losses
    this.#start('', '')
  }

  encode(event: ChatEvent): string {
    switch (event.type) {
      case 'start':
        this.#start(event.id, event.model)
        return ''
      case 'open':
        this.#open(event.block, event.part)
        return ''
      case 'delta':
        return this.#delta(event.block, event.text)
      case 'signature':
        return this.#signature(event.block, event.signature)
      case 'close':
        return this.#close(event.block)
      case 'usage':
        this.#usage = mergeUsage(this.#usage, event.usage)
        return ''
      case 'finish':
        if (event.stopSequence !== undefined) this.#losses.drop('stop_sequence')
        this.#finish = event.finish
        return ''
      case 'end':
        return this.#end()
      case 'error':
        return encodeStreamError(event.error)
    }
  }

  #start(id: string, model: string): void {
    const identity: JsonObject = { modelVersion: model === '' ? this.#options.model : model }
    if (id !== '') identity.responseId = id
    this.#identity = JSON.stringify(identity).slice(1)
  }

  #open(block: number, part: BlockStart): void {
    if (part.type === 'thinking') this.#thoughts.add(block)
    else if (part.type === 'hiddenThinking') this.#losses.drop('redacted_thinking')
    else if (part.type === 'toolCall')
      this.#calls.set(block, { id: part.id, name: part.name, arguments: '', signature: undefined })
  }

  #delta(block: number, text: string): string {
    const call = this.#calls.get(block)
    if (call) {
      call.arguments += text
      return ''
    }
    const thought = this.#thoughts.has(block) ? ',"thought":true' : ''
    return this.#chunk(`{"text":${JSON.stringify(text)}${thought}}`)
  }

  #signature(block: number, thoughtSignature: string): string {
    const call = this.#calls.get(block)
    if (call) {
      call.signature = thoughtSignature
      return ''
    }
    return this.#thoughts.has(block)
      ? this.#chunk(JSON.stringify({ text: '', thought: true, thoughtSignature }))
      : ''
  }

  #close(block: number): string {
    const call = this.#calls.get(block)
    if (!call) return ''
    this.#calls.delete(block)
    const args = argumentsIn(call.arguments)
    if (!args) {
      this.#hasMalformedCall = true
      return ''
    }
    const { id, name, signature } = call
    return this.#chunk(
      JSON.stringify({
        functionCall: { id, name, args },
        ...(signature === undefined ? {} : { thoughtSignature: signature }),
      }),
    )
  }

  #end(): string {
    const reason =
      this.#hasMalformedCall && this.#finish !== 'length' ? MALFORMED_CALL : reasonOf(this.#finish)
    const usage = this.#usage ? `"usageMetadata":${JSON.stringify(usageMetadata(this.#usage))},` : ''
    // Empty content must be present: the chats of Google's SDK discard a reply without it.
    return `data: {"candidates":[{"content":{"role":"model","parts":[{"text":""}]},"finishReason":"${reason}","index":0}],${usage}${this.#identity}\n\n`
  }

  #chunk(part: string): string {
    return `data: {"candidates":[{"content":{"role":"model","parts":[${part}]},"index":0}],${this.#identity}\n\n`
  }
}

/** A call whose arguments may be incomplete. */
interface OpenCall {
  readonly id: string
  readonly name: string
  arguments: string
  signature: string | undefined
}
