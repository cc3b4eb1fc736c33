import { type JsonObject, jsonObjectIn } from '../../json/json-object.ts'
import { BlockChannels, idOf } from './block-channels.ts'
import { type Heard, lastError, nothingMore, nothingYet } from './heard.ts'
import { JsonPieces } from './json-pieces.ts'
import { pieceOf } from './piece-of.ts'
import { answered } from './responses.ts'
import type { EventTexts, StreamTexts } from './text-slot.ts'
import { type Voice, voices } from './voices.ts'
import { type View, walk } from './walk.ts'

/** Follows a stream of OpenAI's Responses, which says every text piece by piece and then as a whole, more than once. */
export const responsesStreamTexts = (): StreamTexts => new ResponsesStreamTexts()

class ResponsesStreamTexts implements StreamTexts {
  readonly #items = new ItemEvents()

  read(name: string | undefined, data: JsonObject | undefined): EventTexts {
    if (!data) return nothingMore
    const type = typeof data.type === 'string' ? data.type : (name ?? '')
    if (type === 'error') return lastError(data)
    const heard = this.#items.read(type, data)
    const response = jsonObjectIn(data.response)
    if (response) heard.wholes.push(...walk(response, answered))
    return lastTypes.has(type) ? { ...heard, closes: 'all' } : heard
  }
}

/** Reads events about items of an answer: theirs are nearly all of the types, and all are made alike. */
export class ItemEvents {
  readonly #channels = new BlockChannels()
  readonly #json = new JsonPieces()

  read(type: string, data: JsonObject): Heard {
    const heard = nothingYet()
    if (type.endsWith('audio.delta')) return heard
    const voice = voiceOfType(type)
    const item = itemOf(data)
    if (type.endsWith('.delta')) {
      const block = blockOf(item, type.slice(0, -'.delta'.length), data)
      for (const slot of walk(data, { voice, only: deltaOnly, modes: deltaModes, arePieces: true })) {
        const channel = this.#channels.channel(block, slot.path)
        const isJson = type.includes('arguments')
        heard.pieces.push(isJson ? this.#json.piece(slot, channel) : pieceOf(slot, channel))
      }
      return heard
    }
    heard.wholes.push(...walk(data, { ...besideResponse, voice }))
    if (type.endsWith('output_item.done')) heard.closes.push(...this.#channels.end(item))
    else if (type.endsWith('.done'))
      heard.closes.push(...this.#channels.end(blockOf(item, type.slice(0, -'.done'.length), data)))
    this.#json.forget(heard.closes)
    return heard
  }

  /** @returns The channels of an answer that is over, and of which no more is heard. */
  end(answer: string): readonly string[] {
    const closes = this.#channels.forget(answer)
    this.#json.forget(closes)
    return closes
  }
}

/** Of several answers, if there are; the place of an item is said more reliably than its id. */
const itemOf = ({ response_id, output_index, item_id }: JsonObject): string =>
  `${idOf(response_id)}/${typeof output_index === 'number' ? String(output_index) : idOf(item_id)}`

const blockOf = (item: string, stem: string, data: JsonObject): string =>
  [item, stem, ...places.map((place) => idOf(data[place]))].join('/')

const places = ['content_index', 'summary_index', 'command_index']

const voiceOfType = (type: string): Voice =>
  type.includes('call_output') ? voices.tool : toolCalls.test(type) ? voices.call : voices.assistant

const toolCalls = /_call|tool_call|arguments/

const deltaOnly: ReadonlySet<string> = new Set(['delta'])
const deltaModes: NonNullable<View['modes']> = new Map([['delta', 'text']])

const besideResponse = { modes: new Map([['response', 'none']]) } as const satisfies Omit<View, 'voice'>

const lastTypes: ReadonlySet<string> = new Set([
  'response.completed',
  'response.incomplete',
  'response.failed',
  'response.cancelled',
])
