import { jsonObjectIn, type JsonObject } from '../../json/json-object.ts'
import type { Losses } from '../dropped-fields.ts'

/** How the fields of a format are decoded. */
export interface FieldRules {
  /** The error for a field of the wrong type; its message names the field. */
  readonly refusal: new (message: string) => Error
  /** Accepts the JSON mapping of protocol buffers: `topK` as `top_k`, and a list of one without brackets. */
  readonly protobuf?: boolean | undefined
}

/**
 * The fields of a JSON object from a client or a provider. `null` counts as absent; a value of the wrong type is
 * refused.
 */
export class Fields {
  readonly object: JsonObject
  readonly #path: string
  readonly #rules: FieldRules

  /** @param path Location of the object, for messages; empty for the root. */
  constructor(object: JsonObject, path: string, rules: FieldRules) {
    this.object = object
    this.#path = path
    this.#rules = rules
  }

  /** A value of any type; undefined if absent. */
  any(name: string): unknown {
    const value = this.object[name]
    if (value !== undefined && value !== null) return value
    return (this.#rules.protobuf ? this.object[snakeOf(name)] : undefined) ?? undefined
  }

  has(name: string): boolean {
    return this.any(name) !== undefined
  }

  text(name: string): string | undefined {
    const value = this.any(name)
    return value === undefined || typeof value === 'string' ? value : this.refuse(name, 'must be a string')
  }

  neededText(name: string): string {
    return this.text(name) ?? this.refuse(name, 'is missing')
  }

  number(name: string): number | undefined {
    const value = this.any(name)
    // A number too large for JavaScript is parsed as infinity, which cannot be serialized.
    if (value === undefined || Number.isFinite(value)) return value as number | undefined
    return this.refuse(name, 'must be a number')
  }

  flag(name: string): boolean | undefined {
    const value = this.any(name)
    return value === undefined || typeof value === 'boolean' ? value : this.refuse(name, 'must be a boolean')
  }

  /** A JSON object that is not decoded further. */
  json(name: string): JsonObject | undefined {
    const value = this.any(name)
    return value === undefined ? undefined : (jsonObjectIn(value) ?? this.refuse(name, 'must be an object'))
  }

  /** An object whose fields are decoded. */
  fields(name: string): Fields | undefined {
    const value = this.json(name)
    return value && new Fields(value, this.#pathOf(name), this.#rules)
  }

  neededFields(name: string): Fields {
    return this.fields(name) ?? this.refuse(name, 'is missing')
  }

  /** A list of objects; empty if absent. */
  list(name: string): readonly Fields[] {
    return this.#items(name).map((item, i) => {
      const object = jsonObjectIn(item) ?? this.refuse(`${name}[${i}]`, 'must be an object')
      return new Fields(object, this.#pathOf(`${name}[${i}]`), this.#rules)
    })
  }

  /** A list of texts; empty if absent. */
  texts(name: string): readonly string[] {
    return this.#items(name).map((item, i) =>
      typeof item === 'string' ? item : this.refuse(`${name}[${i}]`, 'must be a string'),
    )
  }

  /** Reports fields that were not decoded: known ones by name, others as `unknown`. */
  dropOthers(read: ReadonlySet<string>, known: ReadonlySet<string>, prefix: string, losses: Losses): void {
    for (const [key, value] of Object.entries(this.object)) {
      if (value === null) continue
      const name = this.#rules.protobuf ? camelOf(key) : key
      if (!read.has(name)) losses.drop(`${prefix}${known.has(name) ? name : 'unknown'}`)
    }
  }

  /** @param problem Such as `must be a string`. */
  refuse(name: string, problem: string): never {
    throw new this.#rules.refusal(`${this.#pathOf(name)} ${problem}`)
  }

  #items(name: string): readonly unknown[] {
    const value = this.any(name)
    if (value === undefined) return []
    if (Array.isArray(value)) return value
    return this.#rules.protobuf ? [value] : this.refuse(name, 'must be a list')
  }

  #pathOf(name: string): string {
    return this.#path === '' ? name : `${this.#path}.${name}`
  }
}

/** Bounded: only codecs request names. */
const snakeNames = new Map<string, string>()

const snakeOf = (name: string): string => {
  let snake = snakeNames.get(name)
  if (snake === undefined) {
    snake = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    snakeNames.set(name, snake)
  }
  return snake
}

const camelOf = (name: string): string =>
  name.includes('_') ? name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()) : name
