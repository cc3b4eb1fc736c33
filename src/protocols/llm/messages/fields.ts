import { jsonObjectIn, type JsonObject } from '../../json/json-object.ts'
import type { Losses } from '../losses.ts'

/** What is thrown for a field that is wrong: a bad request or a bad reply. */
export type Refuse = (message: string) => Error

/**
 * Reads the fields of one JSON object and refuses those of a wrong type by their place. `null` counts as absent, as it
 * does at Anthropic.
 */
export class Fields {
  readonly json: JsonObject
  readonly path: string
  readonly #refuse: Refuse

  /** @param path Where the object stands, such as `messages.0`; empty for the outermost. */
  constructor(json: JsonObject, path: string, refuse: Refuse) {
    this.json = json
    this.path = path
    this.#refuse = refuse
  }

  /** The fields of a value that must be an object. */
  static of(value: unknown, path: string, refuse: Refuse): Fields {
    const json = jsonObjectIn(value)
    if (!json) throw refuse(`${path}: must be an object`)
    return new Fields(json, path, refuse)
  }

  text(name: string): string | undefined {
    const value = this.json[name] ?? undefined
    if (value === undefined || typeof value === 'string') return value
    throw this.wrong(name, 'must be a text')
  }

  neededText(name: string): string {
    const value = this.text(name)
    if (value === undefined) throw this.wrong(name, 'is missing')
    return value
  }

  number(name: string): number | undefined {
    const value = this.json[name] ?? undefined
    // A number too large for JavaScript reads as infinity, which cannot be written again.
    if (value === undefined || Number.isFinite(value)) return value as number | undefined
    throw this.wrong(name, 'must be a number')
  }

  flag(name: string): boolean | undefined {
    const value = this.json[name] ?? undefined
    if (value === undefined || typeof value === 'boolean') return value
    throw this.wrong(name, 'must be true or false')
  }

  list(name: string): readonly unknown[] | undefined {
    const value = this.json[name] ?? undefined
    if (value === undefined || Array.isArray(value)) return value
    throw this.wrong(name, 'must be a list')
  }

  fields(name: string): Fields | undefined {
    const value = this.json[name] ?? undefined
    return value === undefined ? undefined : Fields.of(value, this.place(name), this.#refuse)
  }

  neededFields(name: string): Fields {
    const fields = this.fields(name)
    if (!fields) throw this.wrong(name, 'is missing')
    return fields
  }

  /** The items of a list, each of which must be an object. */
  items(name: string): Fields[] | undefined {
    return this.list(name)?.map((item, i) => Fields.of(item, `${this.place(name)}.${i}`, this.#refuse))
  }

  /** Names every field that is set and was not taken: those in `known` as they are called, any other as `unknown`. */
  dropOthers(taken: ReadonlySet<string>, known: ReadonlySet<string>, prefix: string, losses: Losses): void {
    for (const name of Object.keys(this.json))
      if (!taken.has(name) && this.json[name] !== null && this.json[name] !== undefined)
        losses.drop(`${prefix}${known.has(name) ? name : 'unknown'}`)
  }

  place(name: string): string {
    return this.path === '' ? name : `${this.path}.${name}`
  }

  wrong(name: string, what: string): Error {
    return this.#refuse(`${this.place(name)}: ${what}`)
  }
}
