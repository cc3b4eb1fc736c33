import { type JsonObject, jsonObjectIn } from '../../json/json-object.ts'
import { idOf } from './block-channels.ts'
import { errorModes } from './error-texts.ts'
import { type Heard, lastError, nothingMore, nothingYet } from './heard.ts'
import type { Echo } from './member-text.ts'
import { OneAtATime } from './one-at-a-time.ts'
import { pieceOf } from './piece-of.ts'
import type { EventTexts, StreamTexts } from './text-slot.ts'
import { voices } from './voices.ts'
import { echoIn, type View, walk } from './walk.ts'

/** Follows a stream of Gemini's, of which each event may hold more of several candidates. */
export const generateContentStreamTexts = (): StreamTexts => new GenerateContentStreamTexts()

class GenerateContentStreamTexts implements StreamTexts {
  readonly #candidates = new Map<number, Candidate>()

  read(name: string | undefined, data: JsonObject | undefined): EventTexts {
    if (!data) return nothingMore
    if (name === 'error' && !data.candidates) return lastError(data)
    const heard = nothingYet()
    heard.wholes.push(...walk(data, besideCandidates))
    for (const candidate of objectsIn(data.candidates)) {
      const index = typeof candidate.index === 'number' ? candidate.index : 0
      let known = this.#candidates.get(index)
      if (!known) this.#candidates.set(index, (known = new Candidate(index)))
      known.read(candidate, heard)
    }
    return data.error ? { ...heard, closes: 'all' } : heard
  }
}

class Candidate {
  readonly #texts: OneAtATime
  #calls = 0

  constructor(index: number) {
    this.#texts = new OneAtATime(String(index))
  }

  read(candidate: JsonObject, heard: Heard): void {
    const echo = echoIn(candidate)
    const content = jsonObjectIn(candidate.content)
    for (const part of objectsIn(content?.parts)) this.#part(part, echo, heard)
    heard.wholes.push(...walk(candidate, { ...besideContent, echo }))
    if (content) heard.wholes.push(...walk(content, { ...besideParts, echo }))
    if (typeof (candidate.finishReason ?? candidate.finish_reason) === 'string')
      heard.closes.push(...this.#texts.finish())
  }

  #part(part: JsonObject, echo: Echo | undefined, heard: Heard): void {
    const call = jsonObjectIn(part.functionCall ?? part.function_call)
    const partial = call?.partialArgs ?? call?.partial_args
    if (call && partial !== undefined) {
      if (typeof call.name === 'string') this.#calls++
      const kind = `call ${String(this.#calls)}`
      heard.closes.push(...this.#texts.begin(kind))
      for (const arg of objectsIn(partial)) {
        const channel = this.#texts.channel(kind, `${kind} ${idOf(arg.jsonPath ?? arg.json_path)}`)
        for (const slot of walk(arg, { voice: voices.call, echo, arePieces: true }))
          heard.pieces.push(pieceOf(slot, channel))
      }
      heard.wholes.push(...walk(call, { ...besidePartial, echo }))
      return
    }
    const kind = typeof part.text !== 'string' ? 'other' : part.thought === true ? 'thought' : 'text'
    heard.closes.push(...this.#texts.begin(kind))
    for (const slot of walk(part, { voice: voices.assistant, echo }))
      if (slot.path === 'text') heard.pieces.push(pieceOf(slot, this.#texts.channel(kind, kind)))
      else heard.wholes.push(slot)
  }
}

const besideCandidates: View = {
  voice: voices.assistant,
  modes: new Map([...errorModes, ['candidates', 'none']]),
}
const besideContent: View = { voice: voices.assistant, modes: new Map([['content', 'none']]) }
const besideParts: View = { voice: voices.assistant, modes: new Map([['parts', 'none']]) }
const besidePartial: View = {
  voice: voices.call,
  modes: new Map([
    ['partialArgs', 'none'],
    ['partial_args', 'none'],
  ]),
}

/** A list of one may be written without its brackets. */
const objectsIn = (value: unknown): readonly JsonObject[] =>
  (Array.isArray(value) ? value : [value]).map(jsonObjectIn).filter((item) => item !== undefined)
