import { type JsonObject, jsonObjectIn } from '../../json/json-object.ts'
import { ItemEvents } from './stream/responses.ts'
import { replyView, steering } from './body/responses.ts'
import { idOf } from './block-channels.ts'
import { errorTexts } from './error-texts.ts'
import { nothingMore } from './event-texts.ts'
import type { EventTexts, StreamTexts, TextSlot } from './text-slot.ts'
import { textRoles } from './roles.ts'
import { type TextView, walk } from './walk.ts'

/**
 * The texts of a client event of a realtime conversation (OpenAI): of items, and of the settings of sessions and
 * responses. Audio is not searched.
 */
export const realtimeClientTexts = (event: JsonObject): readonly TextSlot[] => {
  const { session, response } = event
  const found: TextSlot[] = [...walk(event, besideSettings)]
  for (const settings of [session, response]) {
    const object = jsonObjectIn(settings)
    if (object) found.push(...walk(object, userText))
  }
  return found
}

/**
 * Reads the texts of server events. The end of a response ends only the texts of that response, not the conversation.
 * Items of the client that the events repeat are skipped.
 */
export const realtimeServerTexts = (): StreamTexts => new RealtimeServerTexts()

class RealtimeServerTexts implements StreamTexts {
  readonly #items = new ItemEvents()

  read(name: string | undefined, data: JsonObject | undefined): EventTexts {
    if (!data) return nothingMore
    const type = typeof data.type === 'string' ? data.type : (name ?? '')
    if (type === 'error') return { pieces: [], wholes: errorTexts(data), closes: [] }
    if (!type.startsWith('response.'))
      return { pieces: [], wholes: isFromModel(data.item) ? walk(data, modelText) : [], closes: [] }
    const read = this.#items.read(type, data)
    const response = jsonObjectIn(data.response)
    if (response) read.wholes.push(...walk(response, replyView))
    if (response && type === 'response.done') read.closes.push(...this.#items.end(idOf(response.id)))
    return read
  }
}

const besideSettings: TextView = {
  textRole: textRoles.user,
  modes: new Map([
    ['session', 'none'],
    ['response', 'none'],
  ]),
}

const userText: TextView = { textRole: textRoles.user, modes: steering }

const modelText: TextView = { textRole: textRoles.assistant, only: new Set(['item']) }

const isFromModel = (value: unknown): boolean => {
  const { role, type } = jsonObjectIn(value) ?? {}
  return role === 'assistant' || (typeof type === 'string' && type.endsWith('_call'))
}
