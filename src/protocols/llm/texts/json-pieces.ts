import type { TextMember } from './text-member.ts'
import { jsonBegin, type JsonPosition, readableJson, type ReadableJson, writtenJson } from './json-escapes.ts'
import { beginsAsJson } from './json-text.ts'
import { pieceOf } from './text-piece.ts'
import type { TextPiece } from './text-slot.ts'

/** The texts of a stream that are JSON themselves, such as tool arguments: shown without their escapes. */
export class JsonPieces {
  /** The state of each text by channel; undefined if it is not JSON. */
  readonly #positions = new Map<string, JsonPosition | undefined>()

  piece(slot: TextMember, channel: string): TextPiece {
    const isNew = !this.#positions.has(channel)
    if (isNew && slot.text.trim() === '') return pieceOf(slot, channel)
    const position = isNew ? (beginsAsJson(slot.text) ? jsonBegin : undefined) : this.#positions.get(channel)
    const shown = position && readableJson(slot.text, position)
    this.#positions.set(channel, shown?.end)
    if (!shown) return pieceOf(slot, channel)
    return new JsonPiece(slot, channel, shown, position.isInString)
  }

  /** Drops the state of channels that have ended. */
  remove(channels: readonly string[]): void {
    for (const channel of channels) this.#positions.delete(channel)
  }
}

class JsonPiece implements TextPiece {
  readonly role: TextPiece['role']
  readonly scope: TextPiece['scope']
  readonly text: string
  readonly channel: string
  readonly #slot: TextMember
  readonly #shown: ReadableJson
  readonly #isInString: boolean

  constructor(slot: TextMember, channel: string, shown: ReadableJson, isInString: boolean) {
    this.role = slot.role
    this.scope = slot.scope
    this.text = shown.text
    this.channel = channel
    this.#slot = slot
    this.#shown = shown
    this.#isInString = isInString
  }

  /** Each of two pieces keeps its part of a shared escape: the first may already have been sent. */
  set(text: string): void {
    const { lead, end } = this.#shown
    const rest = text.startsWith(lead.shown) ? text.slice(lead.shown.length) : text
    const begun = this.#slot.text.endsWith(end.begun) ? end.begun : ''
    this.#slot.set(lead.written + writtenJson(rest, this.#isInString) + begun)
  }
}
