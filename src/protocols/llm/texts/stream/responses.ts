import { type JsonObject, jsonObjectIn } from '../../../json/json-object.ts'
import { BlockChannels, idOf } from '../block-channels.ts'
import { type EventTextReader, lastError, nothingMore, nothingYet } from '../event-texts.ts'
import { JsonPieces } from '../json-pieces.ts'
import type { TextMember } from '../text-member.ts'
import { pieceOf } from '../text-piece.ts'
import { TextRuns } from '../text-runs.ts'
import { replyView } from '../body/responses.ts'
import type { EventTexts, StreamTexts } from '../text-slot.ts'
import { type TextRole, textRoles } from '../roles.ts'
import { type TextView, walk } from '../walk.ts'

/** Reads the texts of an OpenAI Responses stream, which sends each text in pieces and then, more than once, as a whole. */
export const responsesStreamTexts = (): StreamTexts => new ResponsesStreamTexts()

class ResponsesStreamTexts implements StreamTexts {
  readonly #items = new ItemEvents()

  read(name: string | undefined, data: JsonObject | undefined): EventTexts {
    if (!data) return nothingMore
    const type = typeof data.type === 'string' ? data.type : (name ?? '')
    if (type === 'error') return lastError(data)
    const result = this.#items.read(type, data)
    const response = jsonObjectIn(data.response)
    if (response) result.wholes.push(...walk(response, replyView))
    return lastTypes.has(type) ? { ...result, closes: 'all' } : result
  }
}

/** Reads events about items of a response: nearly all event types, which have one structure. */
export class ItemEvents {
  readonly #channels = new BlockChannels()
  readonly #json = new JsonPieces()
  /** By response id. */
  readonly #stretches = new Map<string, TextRuns>()

  read(type: string, data: JsonObject): EventTextReader {
    const result = nothingYet()
    if (type.endsWith('audio.delta')) return result
    const textRole = roleOfType(type)
    const item = itemOf(data)
    if (type.endsWith('.delta')) {
      const block = blockOf(item, type.slice(0, -'.delta'.length), data)
      for (const slot of walk(data, { textRole, modes: deltaModes, arePieces: true })) {
        if (!slot.path.startsWith('delta')) {
          result.wholes.push(slot)
          continue
        }
        const channel = this.#channels.channel(block, slot.path)
        const isJson = type.includes('arguments')
        result.pieces.push(
          isJson ? this.#json.piece(slot, channel) : pieceOf(slot, channel, this.#stretchOf(type, data)),
        )
      }
      return result
    }
    for (const [i, slot] of walk(data, { ...besideResponse, textRole }).entries())
      if (isRepeated(type, slot))
        this.#repeat(slot, `${item}/${type} ${String(i)}`, { type, data, reader: result })
      else result.wholes.push(slot)
    if (type.endsWith('output_item.added'))
      result.closes.push(...this.#stretchesOf(data).begin(String(jsonObjectIn(data.item)?.type)))
    if (type.endsWith('output_item.done')) result.closes.push(...this.#channels.end(item))
    else if (type.endsWith('.done'))
      result.closes.push(...this.#channels.end(blockOf(item, type.slice(0, -'.done'.length), data)))
    this.#json.remove(result.closes)
    return result
  }

  #stretchOf(type: string, data: JsonObject): string | undefined {
    return type.endsWith('text.delta') ? this.#stretchesOf(data).of(type) : undefined
  }

  /** A repeated whole text continues in the next one, as the pieces of both do. */
  #repeat(slot: TextMember, channel: string, { type, data, reader: result }: Repeated): void {
    result.pieces.push(pieceOf(slot, channel, this.#stretchesOf(data).of(type)))
    result.closes.push(channel)
  }

  #stretchesOf({ response_id }: JsonObject): TextRuns {
    const id = idOf(response_id)
    let known = this.#stretches.get(id)
    if (!known) this.#stretches.set(id, (known = new TextRuns(id)))
    return known
  }

  /** Ends a response and returns its channels. */
  end(response: string): readonly string[] {
    const over = this.#stretches.get(response)?.end() ?? []
    this.#stretches.delete(response)
    const closes = [...this.#channels.remove(response), ...over]
    this.#json.remove(closes)
    return closes
  }
}

interface Repeated {
  readonly type: string
  readonly data: JsonObject
  readonly reader: EventTextReader
}

/** Events that repeat texts. */
const repeating = ['response.output_text.done', 'response.content_part.done', 'response.output_item.done']

const isRepeated = (type: string, { path, role, scope }: TextMember): boolean =>
  repeating.includes(type) && scope === 'messages' && role === 'assistant' && /(?:^|\/)text$/.test(path)

/** Names an item within its response. Its position is sent more reliably than its id. */
const itemOf = ({ response_id, output_index, item_id }: JsonObject): string =>
  `${idOf(response_id)}/${typeof output_index === 'number' ? String(output_index) : idOf(item_id)}`

const blockOf = (item: string, stem: string, data: JsonObject): string =>
  [item, stem, ...indexFields.map((place) => idOf(data[place]))].join('/')

const indexFields = ['content_index', 'summary_index', 'command_index']

const roleOfType = (type: string): TextRole =>
  type.includes('call_output') ? textRoles.tool : toolCalls.test(type) ? textRoles.call : textRoles.assistant

const toolCalls = /_call|tool_call|arguments/

const deltaModes: NonNullable<TextView['modes']> = new Map([
  ['delta', 'text'],
  ['response', 'none'],
])

const besideResponse = { modes: new Map([['response', 'none']]) } as const satisfies Omit<
  TextView,
  'textRole'
>

const lastTypes: ReadonlySet<string> = new Set([
  'response.completed',
  'response.incomplete',
  'response.failed',
  'response.cancelled',
])
