import type { MemberText } from './member-text.ts'
import type { TextPiece } from './text-slot.ts'

/** A text as a piece of a longer one. */
export const pieceOf = (slot: MemberText, channel: string): TextPiece => new Piece(slot, channel)

class Piece implements TextPiece {
  readonly role: TextPiece['role']
  readonly scope: TextPiece['scope']
  readonly text: string
  readonly channel: string
  readonly #slot: MemberText

  constructor(slot: MemberText, channel: string) {
    this.role = slot.role
    this.scope = slot.scope
    this.text = slot.text
    this.channel = channel
    this.#slot = slot
  }

  set(text: string): void {
    this.#slot.set(text)
  }
}
