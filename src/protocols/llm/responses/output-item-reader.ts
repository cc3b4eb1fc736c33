import type { JsonObject } from '../../json/json-object.ts'
import type { EmitEvent } from '../chat/events.ts'
import type { Losses } from '../dropped-fields.ts'
import { readReasoning, thoughtOf } from './reasoning-item.ts'
import { responseValues } from '../members/typed-fields.ts'
import type { Block, StreamBlocks } from './stream-blocks.ts'

/** An item of a stream that is being decoded. Text after its end is ignored as a repetition. */
export interface StreamItem {
  /** Adds a piece of a part's text or, if `isWhole`, the whole text, which repeats the pieces. */
  text(channel: Channel, part: number, text: string, isWhole: boolean, emit: EmitEvent): void
  /** Ends a part. */
  partDone(part: number, emit: EmitEvent): void
  /** Ends the item; `item` is its whole content. */
  done(item: JsonObject, emit: EmitEvent): void
  /** Closes the blocks of the item. */
  close(emit: EmitEvent): void
}

/** The kind of a piece of text. */
export type Channel = 'text' | 'refusal' | 'summary' | 'reasoning' | 'arguments'

/** Begins an item of `output`; undefined for those of tools that the provider runs itself. */
export const streamItem = (
  item: JsonObject,
  blocks: StreamBlocks,
  losses: Losses,
  emit: EmitEvent,
): StreamItem | undefined => {
  switch (item.type) {
    case 'message':
      return new MessageItem(blocks, losses)
    case 'reasoning':
      return new ReasoningItem(blocks, losses)
    case 'function_call':
      return new CallItem(item, blocks, emit)
    default:
      losses.drop('output.unknown')
      return undefined
  }
}

class MessageItem implements StreamItem {
  readonly #blocks: StreamBlocks
  /** By index in the message. */
  readonly #parts = new Map<number, Block>()
  readonly #losses: Losses

  constructor(blocks: StreamBlocks, losses: Losses) {
    this.#blocks = blocks
    this.#losses = losses
  }

  text(channel: Channel, part: number, text: string, isWhole: boolean, emit: EmitEvent): void {
    if (channel !== 'text' && channel !== 'refusal') return
    let block = this.#parts.get(part)
    if (!block) this.#parts.set(part, (block = this.#blocks.open({ type: channel }, emit)))
    if (isWhole) this.#blocks.whole(block, 0, text, emit)
    else this.#blocks.more(block, 0, text, emit)
  }

  partDone(part: number, emit: EmitEvent): void {
    const block = this.#parts.get(part)
    if (block) this.#blocks.close(block, emit)
  }

  done(item: JsonObject, emit: EmitEvent): void {
    for (const [i, value] of responseValues.listOrNone(item.content, 'item.content').entries()) {
      const part = responseValues.object(value, `item.content[${i}]`)
      const channel = channelOf(part)
      if (Array.isArray(part.annotations) && part.annotations.length > 0)
        this.#losses.drop('output.content.annotations')
      if (channel === undefined) {
        this.#losses.drop('output.content')
        continue
      }
      this.text(channel, i, responseValues.text(outputText(part), `item.content[${i}]`), true, emit)
      this.partDone(i, emit)
    }
    this.close(emit)
  }

  close(emit: EmitEvent): void {
    for (const block of this.#parts.values()) this.#blocks.close(block, emit)
  }
}

/**
 * A reasoning item. Whether it is hidden is known at its end, so its block opens with the first piece of text or at the
 * end. If a provider sends both a summary and the full text, the first of them counts.
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

  text(channel: Channel, part: number, text: string, isWhole: boolean, emit: EmitEvent): void {
    if ((channel !== 'summary' && channel !== 'reasoning') || this.#isDone) return
    this.#channel ??= channel
    if (this.#channel !== channel) return
    this.#block ??= this.#blocks.open({ type: 'thinking' }, emit)
    if (isWhole) this.#blocks.whole(this.#block, part, text, emit)
    else this.#blocks.more(this.#block, part, text, emit)
  }

  partDone(): void {
    // The next part is in the same block.
  }

  done(item: JsonObject, emit: EmitEvent): void {
    if (this.#isDone) return
    const reasoning = readReasoning(item, 'item', responseValues)
    if (reasoning.leavesContent) this.#losses.drop('output.reasoning.content')
    const thought = thoughtOf(reasoning)
    if (thought?.type === 'hiddenThinking' && !this.#block) this.#block = this.#blocks.open(thought, emit)
    else {
      if (thought?.type === 'thinking' && !this.#block) {
        this.#block = this.#blocks.open({ type: 'thinking' }, emit)
        this.#blocks.more(this.#block, 0, thought.text, emit)
      }
      if (this.#block && reasoning.encrypted !== undefined)
        emit({ type: 'signature', block: this.#block.number, signature: reasoning.encrypted })
    }
    this.close(emit)
  }

  close(emit: EmitEvent): void {
    this.#isDone = true
    if (this.#block) this.#blocks.close(this.#block, emit)
  }
}

class CallItem implements StreamItem {
  readonly #blocks: StreamBlocks
  readonly #block: Block

  constructor(item: JsonObject, blocks: StreamBlocks, emit: EmitEvent) {
    const id = responseValues.word(item.call_id, 'item.call_id')
    const name = responseValues.word(item.name, 'item.name')
    this.#blocks = blocks
    this.#block = blocks.open({ type: 'toolCall', id, name }, emit)
  }

  text(channel: Channel, _part: number, text: string, isWhole: boolean, emit: EmitEvent): void {
    if (channel !== 'arguments') return
    if (isWhole) this.#blocks.whole(this.#block, 0, text, emit)
    else this.#blocks.more(this.#block, 0, text, emit)
  }

  partDone(): void {
    // A call has no parts.
  }

  done(item: JsonObject, emit: EmitEvent): void {
    this.text('arguments', 0, responseValues.textIfAny(item.arguments, 'item.arguments') ?? '', true, emit)
    this.close(emit)
  }

  close(emit: EmitEvent): void {
    this.#blocks.close(this.#block, emit)
  }
}

/** The channel of a part of an item; undefined for unsupported types. */
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

/** The text of a part. */
export const outputText = (part: JsonObject): unknown => (part.type === 'refusal' ? part.refusal : part.text)
