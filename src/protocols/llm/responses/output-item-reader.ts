import type { JsonObject } from '../../json/json-object.ts'
import type { Tell } from '../chat/events.ts'
import type { Losses } from '../losses.ts'
import { readReasoning, thoughtOf } from './reasoning-item.ts'
import { told } from '../checked.ts'
import type { Block, StreamBlocks } from './stream-blocks.ts'

/** One item of a stream that is being read. What it says after it is done is taken for a repetition. */
export interface StreamItem {
  /** The text of a part came piece by piece, or, if `isWhole`, came once more. */
  text(channel: Channel, part: number, text: string, isWhole: boolean, tell: Tell): void
  /** A part is over. */
  partDone(part: number, tell: Tell): void
  /** It is over, and this is all of it. */
  done(item: JsonObject, tell: Tell): void
  /** Nothing more will come of it. */
  close(tell: Tell): void
}

/** What a piece of text is. */
export type Channel = 'text' | 'refusal' | 'summary' | 'reasoning' | 'arguments'

/** An item of `output`, as it begins; undefined for those of tools that the provider runs itself. */
export const streamItem = (
  item: JsonObject,
  blocks: StreamBlocks,
  losses: Losses,
  tell: Tell,
): StreamItem | undefined => {
  switch (item.type) {
    case 'message':
      return new MessageItem(blocks, losses)
    case 'reasoning':
      return new ReasoningItem(blocks, losses)
    case 'function_call':
      return new CallItem(item, blocks, tell)
    default:
      losses.drop('output.unknown')
      return undefined
  }
}

class MessageItem implements StreamItem {
  readonly #blocks: StreamBlocks
  /** By place in the message. */
  readonly #parts = new Map<number, Block>()
  readonly #losses: Losses

  constructor(blocks: StreamBlocks, losses: Losses) {
    this.#blocks = blocks
    this.#losses = losses
  }

  text(channel: Channel, part: number, text: string, isWhole: boolean, tell: Tell): void {
    if (channel !== 'text' && channel !== 'refusal') return
    let block = this.#parts.get(part)
    if (!block) this.#parts.set(part, (block = this.#blocks.open({ type: channel }, tell)))
    if (isWhole) this.#blocks.whole(block, 0, text, tell)
    else this.#blocks.more(block, 0, text, tell)
  }

  partDone(part: number, tell: Tell): void {
    const block = this.#parts.get(part)
    if (block) this.#blocks.close(block, tell)
  }

  done(item: JsonObject, tell: Tell): void {
    for (const [i, value] of told.listOrNone(item.content, 'item.content').entries()) {
      const part = told.object(value, `item.content[${i}]`)
      const channel = channelOf(part)
      if (Array.isArray(part.annotations) && part.annotations.length > 0)
        this.#losses.drop('output.content.annotations')
      if (channel === undefined) {
        this.#losses.drop('output.content')
        continue
      }
      this.text(channel, i, told.text(textOf(part), `item.content[${i}]`), true, tell)
      this.partDone(i, tell)
    }
    this.close(tell)
  }

  close(tell: Tell): void {
    for (const block of this.#parts.values()) this.#blocks.close(block, tell)
  }
}

/**
 * A thought. Whether it is hidden shows at its end, so that its block opens with the first piece of text, or then. If a
 * provider tells both the summary and the thought itself, it is the one that comes first.
 */
class ReasoningItem implements StreamItem {
  readonly #blocks: StreamBlocks
  #block: Block | undefined = undefined
  #channel: Channel | undefined = undefined
  #isDone = false
  readonly #losses: Losses

  constructor(blocks: StreamBlocks, losses: Losses) {
    this.#blocks = blocks
    this.#losses = losses
  }

  text(channel: Channel, part: number, text: string, isWhole: boolean, tell: Tell): void {
    if ((channel !== 'summary' && channel !== 'reasoning') || this.#isDone) return
    this.#channel ??= channel
    if (this.#channel !== channel) return
    this.#block ??= this.#blocks.open({ type: 'thinking' }, tell)
    if (isWhole) this.#blocks.whole(this.#block, part, text, tell)
    else this.#blocks.more(this.#block, part, text, tell)
  }

  partDone(): void {
    // The next part goes into the same block.
  }

  done(item: JsonObject, tell: Tell): void {
    if (this.#isDone) return
    const reasoning = readReasoning(item, 'item', told)
    if (reasoning.leavesContent) this.#losses.drop('output.reasoning.content')
    const thought = thoughtOf(reasoning)
    if (thought?.type === 'hiddenThinking' && !this.#block) this.#block = this.#blocks.open(thought, tell)
    else {
      if (thought?.type === 'thinking' && !this.#block) {
        this.#block = this.#blocks.open({ type: 'thinking' }, tell)
        this.#blocks.more(this.#block, 0, thought.text, tell)
      }
      if (this.#block && reasoning.encrypted !== undefined)
        tell({ type: 'signature', block: this.#block.number, signature: reasoning.encrypted })
    }
    this.close(tell)
  }

  close(tell: Tell): void {
    this.#isDone = true
    if (this.#block) this.#blocks.close(this.#block, tell)
  }
}

class CallItem implements StreamItem {
  readonly #blocks: StreamBlocks
  readonly #block: Block

  constructor(item: JsonObject, blocks: StreamBlocks, tell: Tell) {
    const id = told.word(item.call_id, 'item.call_id')
    const name = told.word(item.name, 'item.name')
    this.#blocks = blocks
    this.#block = blocks.open({ type: 'toolCall', id, name }, tell)
  }

  text(channel: Channel, _part: number, text: string, isWhole: boolean, tell: Tell): void {
    if (channel !== 'arguments') return
    if (isWhole) this.#blocks.whole(this.#block, 0, text, tell)
    else this.#blocks.more(this.#block, 0, text, tell)
  }

  partDone(): void {
    // It has none.
  }

  done(item: JsonObject, tell: Tell): void {
    this.text('arguments', 0, told.textIfAny(item.arguments, 'item.arguments') ?? '', true, tell)
    this.close(tell)
  }

  close(tell: Tell): void {
    this.#blocks.close(this.#block, tell)
  }
}

/** What a part of a message is; undefined for what has no place. */
export const channelOf = (part: JsonObject): Channel | undefined => {
  switch (part.type) {
    case 'output_text':
      return 'text'
    case 'refusal':
      return 'refusal'
    case 'reasoning_text':
      return 'reasoning'
    default:
      return undefined
  }
}

/** Its text. */
export const textOf = (part: JsonObject): unknown => (part.type === 'refusal' ? part.refusal : part.text)
