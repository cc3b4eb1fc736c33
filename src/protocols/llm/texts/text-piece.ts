import type { TextMember } from './text-member.ts'
import type { TextPiece } from './text-slot.ts'

/** A text as a piece of a longer one. */
export const pieceOf = (slot: TextMember, channel: string, stretch?: string): TextPiece =>
  new Piece(slot, channel, stretch)

class Piece implements TextPiece {
  readonly role: TextPiece['role']
  readonly scope: TextPiece['scope']
  readonly text: string
  readonly channel: string
  readonly stretch: string | undefined
  readonly #slot: TextMember

  constructor(slot: TextMember, channel: string, stretch: string | undefined) {
    this.role = slot.role
    this.scope = slot.scope
    this.text = slot.text
    this.channel = channel
    this.stretch = stretch
    this.#slot = slot
  }

  set(text: string): void {
    this.#slot.set(text)
  }
}
