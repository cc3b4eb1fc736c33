import { type JsonObject, jsonObjectIn } from '../../json/json-object.ts'
import { listIn } from '../../json/typed-values.ts'
import { errorModes } from './error-texts.ts'
import { type Heard, lastError, nothingMore, nothingYet } from './heard.ts'
import { JsonPieces } from './json-pieces.ts'
import type { Echo, MemberText } from './member-text.ts'
import { OneAtATime } from './one-at-a-time.ts'
import { pieceOf } from './piece-of.ts'
import type { EventTexts, StreamTexts } from './text-slot.ts'
import { voices } from './voices.ts'
import { echoIn, type View, walk } from './walk.ts'

/** Follows a stream of Chat Completions, of which each event may hold more of several choices. */
export const completionsStreamTexts = (): StreamTexts => new CompletionsStreamTexts()

class CompletionsStreamTexts implements StreamTexts {
  readonly #choices = new Map<number, Choice>()

  read(name: string | undefined, data: JsonObject | undefined): EventTexts {
    if (!data) return nothingMore
    if (name === 'error' && !data.choices) return lastError(data)
    const heard = nothingYet()
    heard.wholes.push(...walk(data, besideChoices))
    for (const item of listIn(data.choices)) {
      const choice = jsonObjectIn(item)
      if (!choice) continue
      const index = typeof choice.index === 'number' ? choice.index : 0
      let known = this.#choices.get(index)
      if (!known) this.#choices.set(index, (known = new Choice(index)))
      known.read(choice, heard)
    }
    return data.error ? { ...heard, closes: 'all' } : heard
  }
}

class Choice {
  readonly #texts: OneAtATime
  readonly #json = new JsonPieces()
  /** By number. */
  readonly #callIds = new Map<number, { last: string; count: number }>()

  constructor(index: number) {
    this.#texts = new OneAtATime(String(index))
  }

  read(choice: JsonObject, heard: Heard): void {
    const echo = echoIn(choice)
    heard.wholes.push(...walk(choice, { ...besideDelta, echo }))
    const delta = jsonObjectIn(choice.delta)
    if (delta) {
      for (const slot of walk(delta, { ...besideCalls, echo })) {
        const name = slot.path.split('/', 1)[0] as string
        if (isSaidAtOnce.has(name)) heard.wholes.push(slot)
        else this.#add(kindOf(name, slot.path), [slot], heard)
      }
      this.#calls(delta, echo, heard)
    }
    if (typeof choice.finish_reason === 'string' && choice.finish_reason !== '')
      heard.closes.push(...this.#texts.finish())
  }

  /** Calls begin without arguments as well, and then what was said before is over. */
  #calls(delta: JsonObject, echo: Echo | undefined, heard: Heard): void {
    for (const [i, item] of listIn(delta.tool_calls).entries()) {
      const call = jsonObjectIn(item)
      if (!call) continue
      const index = typeof call.index === 'number' ? call.index : i
      const slots = walk(call, { voice: voices.call, echo, arePieces: true })
      this.#add(this.#kindOfCall(index, call.id), slots, heard, true)
    }
  }

  /** Google numbers all of its calls alike, and only their ids tell them apart. */
  #kindOfCall(index: number, id: unknown): string {
    let ids = this.#callIds.get(index)
    if (!ids) this.#callIds.set(index, (ids = { last: '', count: 0 }))
    if (typeof id === 'string' && id !== '' && id !== ids.last) {
      ids.last = id
      ids.count++
    }
    return `tool_calls/#${String(index)}/${String(ids.count)}/`
  }

  #add(kind: string, slots: readonly MemberText[], { pieces, closes }: Heard, isCall = false): void {
    closes.push(...this.#texts.begin(kind, isCall))
    const prefix = isCall ? kind : ''
    for (const slot of slots) {
      const channel = this.#texts.channel(kind, prefix + slot.path)
      const isJson = slot.path.endsWith('arguments')
      pieces.push(isJson ? this.#json.piece(slot, channel) : pieceOf(slot, channel))
    }
  }
}

const besideChoices: View = {
  voice: voices.assistant,
  modes: new Map([...errorModes, ['choices', 'none']]),
}
const besideDelta: View = { voice: voices.assistant, modes: new Map([['delta', 'none']]) }
const besideCalls: View = {
  voice: voices.assistant,
  modes: new Map([['tool_calls', 'none']]),
  arePieces: true,
}

const isSaidAtOnce: ReadonlySet<string> = new Set(['annotations', 'citations'])

/** Thoughts may be said under several names at once. */
const kindOf = (name: string, path: string): string =>
  name.startsWith('reasoning') || name.startsWith('thinking') || path.includes('/thinking')
    ? 'thoughts'
    : name
