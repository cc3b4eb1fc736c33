import type { ReplyOptions } from '../chat/codec.ts'
import type { BlockStart, ChatEvent, StreamEncoder } from '../chat/events.ts'
import type { Finish } from '../chat/reply.ts'
import { Losses } from '../dropped-fields.ts'
import { mergeUsage, type Usage } from '../usage.ts'
import { encodeStreamError } from './errors.ts'
import { messageId } from './encode-reply.ts'
import { deltaUsageFields, serviceTier, usageFields } from './usage.ts'
import { stopReason } from './stop-reasons.ts'
import { contentBlock, WrittenBlock } from './content-block-writer.ts'

/**
 * Encodes a stream for a client (Anthropic Messages API, `MessageStreamEvent`). Its blocks are strictly sequential: the
 * deltas of a block are buffered until the blocks before it are closed. Empty texts and thinking blocks are omitted.
 */
export class MessagesStreamEncoder implements StreamEncoder {
  readonly #options: ReplyOptions
  readonly #losses: Losses
  /** Blocks that are not completely written, in the order in which they opened. */
  readonly #blocks = new Map<number, WrittenBlock>()
  /** The block that is being written; the others are buffered. */
  #current: WrittenBlock | undefined = undefined
  #nextIndex = 0
  #usage: Usage | undefined = undefined
  #finish: Finish = 'stop'
  #stopSequence: string | undefined = undefined
  #hasToolCalls = false
  #hasRefusal = false
  #isOver = false

  constructor(options: ReplyOptions, losses: Losses = new Losses()) {
    this.#options = options
    this.#losses = losses
  }

  encode(event: ChatEvent): string {
    if (this.#isOver) return ''
    switch (event.type) {
      case 'delta':
        return this.#delta(event.block, event.text)
      case 'start':
        return this.#start(event)
      case 'open':
        return this.#open(event.block, event.part)
      case 'signature':
        return this.#signature(event.block, event.signature)
      case 'close':
        return this.#close(event.block)
      case 'usage':
        this.#usage = mergeUsage(this.#usage, event.usage)
        return ''
      case 'finish':
        this.#finish = event.finish
        this.#stopSequence = event.stopSequence
        return ''
      case 'end':
        return this.#end()
      case 'error':
        this.#isOver = true
        return encodeStreamError(event.error)
    }
  }

  #start(event: Extract<ChatEvent, { type: 'start' }>): string {
    const tier = serviceTier(event.serviceTier)
    if (tier === undefined && event.serviceTier !== undefined) this.#losses.drop('service_tier')
    if (event.usage) this.#usage = mergeUsage(this.#usage, event.usage)
    return written('message_start', {
      message: {
        id: event.id === '' ? messageId() : event.id,
        type: 'message',
        role: 'assistant',
        model: event.model === '' ? this.#options.model : event.model,
        content: [],
        stop_reason: null,
        stop_sequence: null,
        stop_details: null,
        container: null,
        diagnostics: null,
        usage: usageFields(this.#usage, tier),
      },
    })
  }

  #open(number: number, part: BlockStart): string {
    const block = new WrittenBlock(part)
    this.#hasToolCalls ||= part.type === 'toolCall'
    this.#hasRefusal ||= part.type === 'refusal'
    this.#blocks.set(number, block)
    if (this.#current) return ''
    this.#current = block
    return block.showsAtOnce ? this.#begin(block) : ''
  }

  #delta(number: number, text: string): string {
    const block = this.#blocks.get(number)
    if (!block || text === '') return ''
    if (block !== this.#current) {
      block.waiting.push(text)
      return ''
    }
    return block.index < 0 ? this.#begin(block) + block.textDelta(text) : block.textDelta(text)
  }

  #signature(number: number, signature: string): string {
    const block = this.#blocks.get(number)
    if (block?.part.type === 'thinking') block.signature = signature
    else this.#losses.drop('content.toolCall.signature')
    return ''
  }

  #close(number: number): string {
    const block = this.#blocks.get(number)
    if (!block) return ''
    block.isClosed = true
    return block === this.#current ? this.#advance() : ''
  }

  /** Ends the current block, and writes what is buffered of the next ones. */
  #advance(): string {
    let text = ''
    for (const [number, block] of this.#blocks) {
      this.#current = block
      text += this.#catchUp(block)
      if (!block.isClosed) return text
      text += this.#stop(block)
      this.#blocks.delete(number)
    }
    this.#current = undefined
    return text
  }

  #catchUp(block: WrittenBlock): string {
    const waited = block.waiting.join('')
    block.waiting.length = 0
    if (waited !== '') return this.#begin(block) + block.textDelta(waited)
    return block.showsAtOnce ? this.#begin(block) : ''
  }

  #stop(block: WrittenBlock): string {
    const signed = block.signature !== ''
    const begun = signed ? this.#begin(block) : ''
    if (block.index < 0) return ''
    const signature = signed
      ? `event: content_block_delta\ndata: {"type":"content_block_delta","index":${block.index},"delta":` +
        `{"type":"signature_delta","signature":${JSON.stringify(block.signature)}}}\n\n`
      : ''
    return `${begun}${signature}event: content_block_stop\ndata: {"type":"content_block_stop","index":${block.index}}\n\n`
  }

  /** Writes the start of the block unless it is written already. */
  #begin(block: WrittenBlock): string {
    if (block.index >= 0) return ''
    block.begin(this.#nextIndex++)
    return written('content_block_start', { index: block.index, content_block: contentBlock(block.part) })
  }

  #end(): string {
    this.#isOver = true
    for (const block of this.#blocks.values()) block.isClosed = true
    const finish = this.#finish === 'stop' && this.#hasRefusal ? 'refusal' : this.#finish
    return (
      this.#advance() +
      written('message_delta', {
        delta: {
          stop_reason: stopReason(finish, this.#hasToolCalls),
          stop_sequence: (finish === 'stopSequence' ? this.#stopSequence : undefined) ?? null,
          stop_details: null,
          container: null,
        },
        usage: deltaUsageFields(this.#usage),
      }) +
      written('message_stop', {})
    )
  }
}

const written = (type: string, fields: object): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`
