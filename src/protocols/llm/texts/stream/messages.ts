import { type JsonObject, jsonObjectIn } from '../../../json/json-object.ts'
import { BlockChannels, idOf } from '../block-channels.ts'
import { lastError, nothingMore } from '../event-texts.ts'
import { JsonPieces } from '../json-pieces.ts'
import type { TextMember } from '../text-member.ts'
import { pieceOf } from '../text-piece.ts'
import type { EventTexts, StreamTexts, TextPiece } from '../text-slot.ts'
import { TextRuns } from '../text-runs.ts'
import { type TextRole, textRoleOf, textRoles } from '../roles.ts'
import { walk } from '../walk.ts'

/** Reads the texts of an Anthropic Messages stream, whose events name the block they belong to. */
export const messagesStreamTexts = (): StreamTexts => new MessagesStreamTexts()

class MessagesStreamTexts implements StreamTexts {
  readonly #channels = new BlockChannels()
  readonly #json = new JsonPieces()
  /** The roles of the open blocks. */
  readonly #voices = new Map<string, TextRole>()
  readonly #stretches = new TextRuns()

  read(name: string | undefined, data: JsonObject | undefined): EventTexts {
    if (!data) return nothingMore
    const block = idOf(data.index)
    switch (data.type ?? name) {
      case 'content_block_start':
        return this.#start(block, jsonObjectIn(data.content_block))
      case 'content_block_delta':
        return this.#delta(block, jsonObjectIn(data.delta))
      case 'content_block_stop':
        this.#voices.delete(block)
        return { pieces: [], wholes: [], closes: this.#end(block) }
      case 'message_delta': {
        const isEnd = typeof jsonObjectIn(data.delta)?.stop_reason === 'string'
        return { ...this.#other(data), closes: isEnd ? 'all' : [] }
      }
      case 'message_stop':
        return { ...this.#other(data), closes: 'all' }
      case 'error':
        return lastError(data)
      default:
        return this.#other(data)
    }
  }

  #start(block: string, content: JsonObject | undefined): EventTexts {
    const closes = this.#end(block)
    if (!content) return { pieces: [], wholes: [], closes }
    const textRole = textRoleOf(content, textRoles.assistant)
    this.#voices.set(block, textRole)
    const over = this.#stretches.begin(String(content.type))
    return { ...this.#sort(block, walk(content, { textRole }), ofBlocks), closes: [...closes, ...over] }
  }

  #delta(block: string, delta: JsonObject | undefined): EventTexts {
    if (!delta) return { pieces: [], wholes: [], closes: [] }
    const textRole =
      delta.type === 'input_json_delta' ? textRoles.call : (this.#voices.get(block) ?? textRoles.assistant)
    return { ...this.#sort(block, walk(delta, { textRole, arePieces: true }), ofDeltas), closes: [] }
  }

  /** The text in the start of a block is the first piece of the text that its deltas continue. */
  #sort(block: string, slots: readonly TextMember[], names: ReadonlySet<string>) {
    const pieces: TextPiece[] = []
    const wholes: TextMember[] = []
    for (const slot of slots)
      if (names.has(slot.path)) {
        const channel = this.#channels.channel(block, slot.path)
        const isJson = slot.path === 'partial_json'
        pieces.push(
          isJson
            ? this.#json.piece(slot, channel)
            : pieceOf(slot, channel, slot.path === 'text' ? this.#stretches.of('text') : undefined),
        )
      } else wholes.push(slot)
    return { pieces, wholes }
  }

  #end(block: string): readonly string[] {
    const closes = this.#channels.end(block)
    this.#json.remove(closes)
    return closes
  }

  #other(data: JsonObject): EventTexts {
    return { pieces: [], wholes: walk(data, { textRole: textRoles.assistant }), closes: [] }
  }
}

/** The texts of a block that deltas may continue. */
const ofBlocks: ReadonlySet<string> = new Set(['text', 'thinking'])
const ofDeltas: ReadonlySet<string> = new Set([...ofBlocks, 'partial_json', 'content'])
