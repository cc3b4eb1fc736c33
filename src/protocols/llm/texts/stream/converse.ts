import { type JsonObject, jsonObjectOr } from '../../json/json-object.ts'
import { BlockChannels, idOf } from './block-channels.ts'
import { lastError, nothingMore, nothingYet } from './heard.ts'
import { JsonPieces } from './json-pieces.ts'
import { pieceOf } from './piece-of.ts'
import type { EventTexts, StreamTexts } from './text-slot.ts'
import { voices } from './voices.ts'
import { walk } from './walk.ts'

/** Follows the events of `ConverseStream`, by the names in the headers of their frames. */
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
        const wholes = walk(data, { voice: voices.assistant })
        return { pieces: [], wholes, closes: name === 'messageStop' || name === 'metadata' ? 'all' : [] }
      }
    }
  }

  #delta(block: string, delta: JsonObject): EventTexts {
    const heard = nothingYet()
    for (const slot of walk(delta, { voice: voices.assistant, arePieces: true })) {
      const isWhole = slot.path.startsWith('citation') || slot.path.includes('/json')
      if (isWhole) heard.wholes.push(slot)
      else {
        const channel = this.#channels.channel(block, slot.path)
        const isJson = slot.path === 'toolUse/input'
        heard.pieces.push(isJson ? this.#json.piece(slot, channel) : pieceOf(slot, channel))
      }
    }
    return heard
  }
}
