import { type JsonObject, jsonObjectIn } from '../../json/json-object.ts'
import { BlockChannels, idOf } from './block-channels.ts'
import { lastError, nothingMore } from './heard.ts'
import { JsonPieces } from './json-pieces.ts'
import type { MemberText } from './member-text.ts'
import { pieceOf } from './piece-of.ts'
import type { EventTexts, StreamTexts, TextPiece } from './text-slot.ts'
import { type Voice, voiceOf, voices } from './voices.ts'
import { walk } from './walk.ts'

/** Follows a stream of Anthropic's Messages, of which each event says which block it belongs to. */
export const messagesStreamTexts = (): StreamTexts => new MessagesStreamTexts()

class MessagesStreamTexts implements StreamTexts {
  readonly #channels = new BlockChannels()
  readonly #json = new JsonPieces()
  /** Whose the open blocks are. */
  readonly #voices = new Map<string, Voice>()

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
    const voice = voiceOf(content, voices.assistant)
    this.#voices.set(block, voice)
    return { ...this.#sort(block, walk(content, { voice }), ofBlocks), closes }
  }

  #delta(block: string, delta: JsonObject | undefined): EventTexts {
    if (!delta) return { pieces: [], wholes: [], closes: [] }
    const voice =
      delta.type === 'input_json_delta' ? voices.call : (this.#voices.get(block) ?? voices.assistant)
    return { ...this.#sort(block, walk(delta, { voice, arePieces: true }), ofDeltas), closes: [] }
  }

  /** What a block begins with is the first piece of what its deltas go on with. */
  #sort(block: string, slots: readonly MemberText[], names: ReadonlySet<string>) {
    const pieces: TextPiece[] = []
    const wholes: MemberText[] = []
    for (const slot of slots)
      if (names.has(slot.path)) {
        const channel = this.#channels.channel(block, slot.path)
        const isJson = slot.path === 'partial_json'
        pieces.push(isJson ? this.#json.piece(slot, channel) : pieceOf(slot, channel))
      } else wholes.push(slot)
    return { pieces, wholes }
  }

  #end(block: string): readonly string[] {
    const closes = this.#channels.end(block)
    this.#json.forget(closes)
    return closes
  }

  #other(data: JsonObject): EventTexts {
    return { pieces: [], wholes: walk(data, { voice: voices.assistant }), closes: [] }
  }
}

/** What of a block may go on. */
const ofBlocks: ReadonlySet<string> = new Set(['text', 'thinking'])
const ofDeltas: ReadonlySet<string> = new Set([...ofBlocks, 'partial_json', 'content'])
