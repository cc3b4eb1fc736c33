import { type JsonObject, jsonObjectIn } from '../../../json/json-object.ts'
import { idOf } from '../block-channels.ts'
import { errorModes } from '../error-texts.ts'
import { type EventTextReader, lastError, nothingMore, nothingYet } from '../event-texts.ts'
import type { RepeatedText } from '../text-member.ts'
import { OneAtATime } from '../sequential-channel.ts'
import { pieceOf } from '../text-piece.ts'
import type { EventTexts, StreamTexts } from '../text-slot.ts'
import { textRoles } from '../roles.ts'
import { repeatedTextIn, type TextView, walk } from '../walk.ts'

/** Reads the texts of a Gemini stream, whose events may contain several candidates. */
export const generateContentStreamTexts = (): StreamTexts => new GenerateContentStreamTexts()

class GenerateContentStreamTexts implements StreamTexts {
  readonly #candidates = new Map<number, Candidate>()

  read(name: string | undefined, data: JsonObject | undefined): EventTexts {
    if (!data) return nothingMore
    if (name === 'error' && !data.candidates) return lastError(data)
    const result = nothingYet()
    result.wholes.push(...walk(data, besideCandidates))
    for (const candidate of objectsIn(data.candidates)) {
      const index = typeof candidate.index === 'number' ? candidate.index : 0
      let known = this.#candidates.get(index)
      if (!known) this.#candidates.set(index, (known = new Candidate(index)))
      known.read(candidate, result)
    }
    return data.error ? { ...result, closes: 'all' } : result
  }
}

class Candidate {
  readonly #texts: OneAtATime
  #calls = 0

  constructor(index: number) {
    this.#texts = new OneAtATime(String(index))
  }

  read(candidate: JsonObject, result: EventTextReader): void {
    const echo = repeatedTextIn(candidate)
    const content = jsonObjectIn(candidate.content)
    for (const part of objectsIn(content?.parts)) this.#part(part, echo, result)
    result.wholes.push(...walk(candidate, { ...besideContent, echo }))
    if (content) result.wholes.push(...walk(content, { ...besideParts, echo }))
    if (typeof (candidate.finishReason ?? candidate.finish_reason) === 'string')
      result.closes.push(...this.#texts.finish())
  }

  #part(part: JsonObject, echo: RepeatedText | undefined, result: EventTextReader): void {
    const call = jsonObjectIn(part.functionCall ?? part.function_call)
    const partial = call?.partialArgs ?? call?.partial_args
    if (call && partial !== undefined) {
      if (typeof call.name === 'string') this.#calls++
      const kind = `call ${String(this.#calls)}`
      result.closes.push(...this.#texts.begin(kind))
      for (const arg of objectsIn(partial)) {
        const channel = this.#texts.channel(kind, `${kind} ${idOf(arg.jsonPath ?? arg.json_path)}`)
        for (const slot of walk(arg, { textRole: textRoles.call, echo, arePieces: true }))
          if (slot.isOther) result.wholes.push(slot)
          else result.pieces.push(pieceOf(slot, channel))
      }
      result.wholes.push(...walk(call, { ...besidePartial, echo }))
      return
    }
    const kind = typeof part.text !== 'string' ? 'other' : part.thought === true ? 'thought' : 'text'
    result.closes.push(...this.#texts.begin(kind))
    for (const slot of walk(part, { textRole: textRoles.assistant, echo }))
      if (slot.path === 'text') result.pieces.push(pieceOf(slot, this.#texts.channel(kind, kind)))
      else result.wholes.push(slot)
  }
}

const besideCandidates: TextView = {
  textRole: textRoles.assistant,
  modes: new Map([...errorModes, ['candidates', 'none']]),
}
const besideContent: TextView = { textRole: textRoles.assistant, modes: new Map([['content', 'none']]) }
const besideParts: TextView = { textRole: textRoles.assistant, modes: new Map([['parts', 'none']]) }
const besidePartial: TextView = {
  textRole: textRoles.call,
  modes: new Map([
    ['partialArgs', 'none'],
    ['partial_args', 'none'],
  ]),
}

/** A list of one item may be written without brackets. */
const objectsIn = (value: unknown): readonly JsonObject[] =>
  (Array.isArray(value) ? value : [value]).map(jsonObjectIn).filter((item) => item !== undefined)
