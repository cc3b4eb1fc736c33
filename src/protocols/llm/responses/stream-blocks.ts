import type { BlockStart, Tell } from '../chat/events.ts'
import { SUMMARY_BREAK } from './reasoning-item.ts'

/** A block of a stream that is being read. */
export interface Block {
  readonly number: number
  isOpen: boolean
  /** Which part of it comes: a summary has several. */
  part: number
  /** How much of that part has been told. */
  toldLength: number
}

/** Numbers the blocks of a stream, and tells of them. Each is told once, whichever events of the format say it. */
export class StreamBlocks {
  #next = 0

  /** What kinds of blocks there were, as far as they tell why the answer ended. */
  readonly said = { toolCall: false, refusal: false }

  open(part: BlockStart, tell: Tell): Block {
    const number = this.#next++
    if (part.type === 'toolCall') this.said.toolCall = true
    if (part.type === 'refusal') this.said.refusal = true
    tell({ type: 'open', block: number, part })
    return { number, isOpen: true, part: 0, toldLength: 0 }
  }

  /** More text of a part. */
  more(block: Block, part: number, text: string, tell: Tell): void {
    if (!block.isOpen || text === '') return
    if (part !== block.part) {
      block.part = part
      block.toldLength = 0
      tell({ type: 'delta', block: block.number, text: SUMMARY_BREAK })
    }
    block.toldLength += text.length
    tell({ type: 'delta', block: block.number, text })
  }

  /** The whole text of a part: what of it has not come yet. */
  whole(block: Block, part: number, text: string, tell: Tell): void {
    this.more(block, part, part === block.part ? text.slice(block.toldLength) : text, tell)
  }

  close(block: Block, tell: Tell): void {
    if (!block.isOpen) return
    block.isOpen = false
    tell({ type: 'close', block: block.number })
  }
}
