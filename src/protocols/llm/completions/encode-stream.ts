import type { JsonObject } from '../../json/json-object.ts'
import type { ReplyOptions } from '../chat/codec.ts'
import type { BlockStart, ChatEvent, StreamEncoder } from '../chat/events.ts'
import type { Finish } from '../chat/reply.ts'
import { Losses } from '../dropped-fields.ts'
import { mergeUsage, type Usage } from '../usage.ts'
import { callSignature } from './decode-tools.ts'
import { encodeStreamError } from './errors.ts'
import { finishReasonOf } from './finish-reason.ts'
import { createdOf, replyId } from './encode-reply.ts'
import { detailOf } from './reasoning.ts'
import { usageOf } from './usage.ts'

/** Encodes a stream (OpenAI Chat Completions, `ChatCompletionChunk`): events without names, and `[DONE]` at the end. */
export class CompletionsEncoder implements StreamEncoder {
  readonly #options: ReplyOptions
  readonly #losses: Losses
  /** The beginning of every chunk, up to its choices. */
  #head = ''
  /** The end of every chunk but the last. */
  readonly #tail: string
  readonly #blocks: Block[] = []
  #calls = 0
  #thoughts = 0
  /** Thinking blocks with readable text. */
  #texts = 0
  #hasRefused = false
  #usage: Usage | undefined = undefined
  #isOver = false

  constructor(options: ReplyOptions, losses = new Losses()) {
    this.#options = options
    this.#losses = losses
    this.#tail = options.includeUsage ? ',"usage":null}\n\n' : '}\n\n'
  }

  encode(event: ChatEvent): string {
    if (this.#isOver) return ''
    switch (event.type) {
      case 'start':
        this.#head = headOf(event, this.#options)
        return this.#chunk('{"role":"assistant","content":""}')
      case 'open':
        return this.#open(event.block, event.part)
      case 'delta':
        return this.#delta(event.block, event.text)
      case 'signature':
        return this.#sign(event.block, event.signature)
      case 'close':
        return this.#close(event.block)
      case 'usage':
        this.#usage = mergeUsage(this.#usage, event.usage)
        return ''
      case 'finish':
        if (event.stopSequence !== undefined) this.#losses.drop('stop_sequence')
        return this.#finish(event.finish)
      case 'end':
        this.#isOver = true
        return `${this.#usageChunk()}data: [DONE]\n\n`
      case 'error':
        this.#isOver = true
        return encodeStreamError(event.error)
    }
  }

  #open(block: number, part: BlockStart): string {
    this.#blocks[block] = { type: part.type, call: part.type === 'toolCall' ? this.#calls++ : -1, text: '' }
    if (part.type === 'toolCall')
      return this.#call(block, {
        id: part.id,
        type: 'function',
        function: { name: part.name, arguments: '' },
      })
    if (part.type === 'refusal') this.#hasRefused = true
    if (part.type === 'thinking') this.#texts++
    return part.type === 'hiddenThinking' ? this.#detail(detailOf(part, this.#thoughts++)) : ''
  }

  #delta(number: number, text: string): string {
    const block = this.#blocks[number]
    if (!block || text === '') return ''
    const encoded = JSON.stringify(text)
    switch (block.type) {
      case 'text':
        return this.#chunk(`{"content":${encoded}}`)
      case 'refusal':
        return this.#chunk(`{"refusal":${encoded}}`)
      case 'thinking':
        block.text += text
        return this.#chunk(`{"reasoning_content":${encoded}}`)
      case 'toolCall':
        block.text = 'said'
        return this.#chunk(`{"tool_calls":[{"index":${block.call},"function":{"arguments":${encoded}}}]}`)
      case 'hiddenThinking':
        return ''
    }
  }

  #sign(number: number, signature: string): string {
    const block = this.#blocks[number]
    if (block?.type === 'toolCall') return this.#call(number, callSignature(signature))
    if (block?.type !== 'thinking') return ''
    // The whole text again: a signature is useless without it, and few clients assemble pieces of details.
    const detail = detailOf({ type: 'thinking', text: block.text, signature }, this.#thoughts++)
    return this.#detail(detail, this.#texts === 1 ? signature : undefined)
  }

  #close(number: number): string {
    const block = this.#blocks[number]
    // No arguments are `{}`: an empty text is not JSON.
    return block?.type === 'toolCall' && block.text === '' ? this.#delta(number, '{}') : ''
  }

  #finish(finish: Finish): string {
    const reason = finishReasonOf(finish, { toolCalls: this.#calls > 0, refusal: this.#hasRefused })
    return `${this.#head}[{"index":0,"delta":{},"logprobs":null,"finish_reason":"${reason}"}]${this.#tail}`
  }

  #usageChunk(): string {
    const usage = this.#options.includeUsage ? usageOf(this.#usage) : undefined
    return usage ? `${this.#head}[],"usage":${JSON.stringify(usage)}}\n\n` : ''
  }

  #call(block: number, members: JsonObject): string {
    return this.#chunk(JSON.stringify({ tool_calls: [{ index: this.#blocks[block]?.call, ...members }] }))
  }

  /**
   * The empty text means that the text of the detail has already been sent.
   *
   * @param signature Of all thinking so far; undefined if it has no common one.
   */
  #detail(detail: JsonObject, signature?: string): string {
    return this.#chunk(
      JSON.stringify({
        reasoning_content: '',
        ...(signature !== undefined && { reasoning_signature: signature }),
        reasoning_details: [detail],
      }),
    )
  }

  #chunk(delta: string): string {
    return `${this.#head}[{"index":0,"delta":${delta},"logprobs":null,"finish_reason":null}]${this.#tail}`
  }
}

interface Block {
  readonly type: BlockStart['type']
  /** The index among tool calls; negative for other blocks. */
  readonly call: number
  /** The text so far, where it is needed again. */
  text: string
}

const headOf = (start: ChatEvent & { readonly type: 'start' }, options: ReplyOptions): string => {
  const { id, model, createdAtS, serviceTier } = start
  const members = JSON.stringify({
    id: replyId(id),
    object: 'chat.completion.chunk',
    created: createdOf(createdAtS),
    model: model === '' ? options.model : model,
    ...(serviceTier !== undefined && { service_tier: serviceTier }),
  })
  return `data: ${members.slice(0, -1)},"choices":`
}
