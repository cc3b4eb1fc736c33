import { type JsonObject, jsonObjectOr } from '../../../json/json-object.ts'
import { BlockChannels, idOf } from '../block-channels.ts'
import { lastError, nothingMore, nothingYet } from '../event-texts.ts'
import { JsonPieces } from '../json-pieces.ts'
import { pieceOf } from '../text-piece.ts'
import type { EventTexts, StreamTexts } from '../text-slot.ts'
import { textRoles } from '../roles.ts'
import { walk } from '../walk.ts'

/** Reads the texts of `ConverseStream` events, whose names are in the headers of their frames. */
export const converseStreamTexts = (): StreamTexts => new ConverseStreamTexts()

class ConverseStreamTexts implements StreamTexts {
  readonly #channels = new BlockChannels()
  readonly #json = new JsonPieces()

  read(name: string | undefined, data: JsonObject | undefined): EventTexts {
    if (!data) return nothingMore
    if (name?.endsWith('xception')) return lastError(data)
    const block = idOf(data.contentBlockIndex ?? 0)
    switch (name) {
      case 'contentBlockDelta':
        return this.#delta(block, jsonObjectOr(data.delta))
      case 'contentBlockStop':
        return { pieces: [], wholes: [], closes: this.#channels.end(block) }
      default: {
        const wholes = walk(data, { textRole: textRoles.assistant })
        return { pieces: [], wholes, closes: name === 'messageStop' || name === 'metadata' ? 'all' : [] }
      }
    }
  }

  #delta(block: string, delta: JsonObject): EventTexts {
    const result = nothingYet()
    for (const slot of walk(delta, { textRole: textRoles.assistant, arePieces: true })) {
      const isWhole = slot.isOther || slot.path.startsWith('citation') || slot.path.includes('/json')
      if (isWhole) result.wholes.push(slot)
      else {
        const channel = this.#channels.channel(block, slot.path)
        const isJson = slot.path === 'toolUse/input'
        result.pieces.push(isJson ? this.#json.piece(slot, channel) : pieceOf(slot, channel))
      }
    }
    return result
  }
}
