import { type JsonObject, jsonObjectIn } from '../../../json/json-object.ts'
import { listIn } from '../../../json/typed-values.ts'
import { errorModes } from '../error-texts.ts'
import { type EventTextReader, lastError, nothingMore, nothingYet } from '../event-texts.ts'
import { JsonPieces } from '../json-pieces.ts'
import type { RepeatedText, TextMember } from '../text-member.ts'
import { OneAtATime } from '../sequential-channel.ts'
import { pieceOf } from '../text-piece.ts'
import type { EventTexts, StreamTexts } from '../text-slot.ts'
import { textRoles } from '../roles.ts'
import { repeatedTextIn, type TextView, walk } from '../walk.ts'

/** Reads the texts of a Chat Completions stream, whose events may contain several choices. */
export const completionsStreamTexts = (): StreamTexts => new CompletionsStreamTexts()

class CompletionsStreamTexts implements StreamTexts {
  readonly #choices = new Map<number, Choice>()

  read(name: string | undefined, data: JsonObject | undefined): EventTexts {
    if (!data) return nothingMore
    if (name === 'error' && !data.choices) return lastError(data)
    const result = nothingYet()
    result.wholes.push(...walk(data, besideChoices))
    for (const item of listIn(data.choices)) {
      const choice = jsonObjectIn(item)
      if (!choice) continue
      const index = typeof choice.index === 'number' ? choice.index : 0
      let known = this.#choices.get(index)
      if (!known) this.#choices.set(index, (known = new Choice(index)))
      known.read(choice, result)
    }
    return data.error ? { ...result, closes: 'all' } : result
  }
}

class Choice {
  readonly #texts: OneAtATime
  readonly #json = new JsonPieces()
  /** By the `index` of the call. */
  readonly #callIds = new Map<number, { last: string; count: number }>()

  constructor(index: number) {
    this.#texts = new OneAtATime(String(index))
  }

  read(choice: JsonObject, result: EventTextReader): void {
    const echo = repeatedTextIn(choice)
    result.wholes.push(...walk(choice, { ...besideDelta, echo }))
    const delta = jsonObjectIn(choice.delta)
    if (delta) {
      for (const slot of walk(delta, { ...besideCalls, echo })) {
        const name = slot.path.split('/', 1)[0] as string
        // An unknown member does not end the texts before it.
        if (slot.isOther || isNotStreamed.has(name)) result.wholes.push(slot)
        else this.#add(kindOf(name, slot.path), [slot], result)
      }
      this.#calls(delta, echo, result)
    }
    if (typeof choice.finish_reason === 'string' && choice.finish_reason !== '')
      result.closes.push(...this.#texts.finish())
  }

  /** A call ends the texts before it, even if it begins without arguments. */
  #calls(delta: JsonObject, echo: RepeatedText | undefined, result: EventTextReader): void {
    for (const [i, item] of listIn(delta.tool_calls).entries()) {
      const call = jsonObjectIn(item)
      if (!call) continue
      const index = typeof call.index === 'number' ? call.index : i
      const slots = walk(call, { textRole: textRoles.call, echo, arePieces: true })
      this.#add(this.#kindOfCall(index, call.id), slots, result, true)
    }
  }

  /** Google gives all calls the same index; only their ids differ. */
  #kindOfCall(index: number, id: unknown): string {
    let ids = this.#callIds.get(index)
    if (!ids) this.#callIds.set(index, (ids = { last: '', count: 0 }))
    if (typeof id === 'string' && id !== '' && id !== ids.last) {
      ids.last = id
      ids.count++
    }
    return `tool_calls/#${String(index)}/${String(ids.count)}/`
  }

  #add(
    kind: string,
    slots: readonly TextMember[],
    { pieces, wholes, closes }: EventTextReader,
    isCall = false,
  ): void {
    closes.push(...this.#texts.begin(kind, isCall))
    const prefix = isCall ? kind : ''
    for (const slot of slots) {
      if (slot.isOther) {
        wholes.push(slot)
        continue
      }
      const channel = this.#texts.channel(kind, prefix + slot.path)
      const isJson = slot.path.endsWith('arguments')
      pieces.push(isJson ? this.#json.piece(slot, channel) : pieceOf(slot, channel))
    }
  }
}

const besideChoices: TextView = {
  textRole: textRoles.assistant,
  modes: new Map([...errorModes, ['choices', 'none']]),
}
const besideDelta: TextView = { textRole: textRoles.assistant, modes: new Map([['delta', 'none']]) }
const besideCalls: TextView = {
  textRole: textRoles.assistant,
  modes: new Map([['tool_calls', 'none']]),
  arePieces: true,
}

const isNotStreamed: ReadonlySet<string> = new Set(['annotations', 'citations'])

/** Reasoning may be sent under several names at once. */
const kindOf = (name: string, path: string): string =>
  name.startsWith('reasoning') || name.startsWith('thinking') || path.includes('/thinking')
    ? 'thoughts'
    : name
