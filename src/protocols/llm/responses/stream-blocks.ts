import type { BlockStart, EmitEvent } from '../chat/events.ts'
import { SUMMARY_BREAK } from './reasoning-item.ts'

/** A block of a stream that is being decoded. */
export interface Block {
  readonly number: number
  isOpen: boolean
  /** The index of the current part: a summary has several. */
  part: number
  /** The emitted length of that part. */
  emittedLength: number
}

/** Numbers the blocks of a stream and emits their events. Content is emitted once, even if several events contain it. */
export class StreamBlocks {
  #next = 0

  /** The kinds of blocks so far that determine the finish reason. */
  readonly seen = { toolCall: false, refusal: false }

  open(part: BlockStart, emit: EmitEvent): Block {
    const number = this.#next++
    if (part.type === 'toolCall') this.seen.toolCall = true
    if (part.type === 'refusal') this.seen.refusal = true
    emit({ type: 'open', block: number, part })
    return { number, isOpen: true, part: 0, emittedLength: 0 }
  }

  /** Emits more text of a part. */
  more(block: Block, part: number, text: string, emit: EmitEvent): void {
    if (!block.isOpen || text === '') return
    if (part !== block.part) {
      block.part = part
      block.emittedLength = 0
      emit({ type: 'delta', block: block.number, text: SUMMARY_BREAK })
    }
    block.emittedLength += text.length
    emit({ type: 'delta', block: block.number, text })
  }

  /** Emits the rest of a part, given its whole text. */
  whole(block: Block, part: number, text: string, emit: EmitEvent): void {
    this.more(block, part, part === block.part ? text.slice(block.emittedLength) : text, emit)
  }

  close(block: Block, emit: EmitEvent): void {
    if (!block.isOpen) return
    block.isOpen = false
    emit({ type: 'close', block: block.number })
  }
}
