import { redacted } from '../model/redact.ts'
import { celError, noSuchKey } from './failure.ts'

/** Where header fields come from. */
export interface HeaderSource {
  /** Every value of the field, in order; `name` is lower-case. */
  all(name: string): readonly string[]
  /** Name and value of every field, repeats included, in order. */
  entries(): Iterable<readonly [name: string, value: string]>
}

/** How the values of one field are given: as they are, joined with `,`, always as a list, or split at commas. */
type Shape = 'plain' | 'join' | 'raw' | 'split'

/** Header fields whose values are credentials. */
export const defaultSensitiveHeaders: ReadonlySet<string> = new Set([
  'authorization',
  'proxy-authorization',
  'cookie',
  'set-cookie',
  'x-api-key',
  'api-key',
  'x-goog-api-key',
])

/**
 * The header fields of a message as expressions see them: `h["name"]`, in any case, is a string if the field came once
 * and a list if it came more often, so that no value can hide behind another.
 */
export class HeadersView {
  readonly #source: HeaderSource
  readonly #sensitive: ReadonlySet<string>
  readonly #shape: Shape
  readonly #redacts: boolean

  constructor(
    source: HeaderSource,
    sensitive: ReadonlySet<string> = defaultSensitiveHeaders,
    shape: Shape = 'plain',
    redacts = false,
  ) {
    this.#source = source
    this.#sensitive = sensitive
    this.#shape = shape
    this.#redacts = redacts
  }

  /** The value or values of a field; undefined if it is absent. */
  get(name: unknown): string | readonly string[] | undefined {
    return typeof name === 'string' ? this.field(name.toLowerCase()) : undefined
  }

  /** The same for a name that is lower-case already. */
  field(name: string): string | readonly string[] | undefined {
    const values = this.#source.all(name)
    return values.length ? this.#shaped(name, values) : undefined
  }

  has(name: string): boolean {
    return this.#source.all(name.toLowerCase()).length > 0
  }

  /** Names of the fields, each once, in order. */
  names(): string[] {
    const names = new Set<string>()
    for (const [name] of this.#source.entries()) names.add(name.toLowerCase())
    return [...names]
  }

  /** The value of a cookie, wherever it is among the `cookie` fields. */
  cookie(name: string): string {
    for (const field of this.#source.all('cookie'))
      for (const pair of field.split(';')) {
        const equals = pair.indexOf('=')
        if (equals >= 0 && pair.slice(0, equals).trim() === name)
          return this.#redacts && this.#sensitive.has('cookie') ? redacted : pair.slice(equals + 1).trim()
      }
    throw noSuchKey(name)
  }

  /** The same fields in another shape; the last shape asked for counts. */
  as(shape: Shape): HeadersView {
    return new HeadersView(this.#source, this.#sensitive, shape, this.#redacts)
  }

  /** The same fields, with or without the values of sensitive ones. */
  redacting(redacts: boolean): HeadersView {
    return new HeadersView(this.#source, this.#sensitive, this.#shape, redacts)
  }

  toMap(): Map<string, unknown> {
    return new Map(this.names().map((name) => [name, this.get(name)]))
  }

  #shaped(field: string, values: readonly string[]): string | readonly string[] {
    const shown = this.#redacts && this.#sensitive.has(field) ? values.map(() => redacted) : values
    switch (this.#shape) {
      case 'join':
        return shown.join(',')
      case 'raw':
        return shown
      case 'split':
        return shown.flatMap((value) => value.split(',').map((part) => part.trim()))
      default:
        return shown.length === 1 ? (shown[0] as string) : repeated(shown)
    }
  }
}

/** Values of fields that came more than once, where whoever wrote the expression may have thought of one. */
const repeats = new WeakSet<object>()

const repeated = (values: readonly string[]): readonly string[] => {
  repeats.add(values)
  return values
}

/**
 * Fails for a field that came more than once and is used as if it were one text. It is neither equal nor unequal to one:
 * with either answer, a client could send a second value to be let pass by a rule about the first.
 */
export const refuseRepeated = (value: unknown): void => {
  if (typeof value === 'object' && value !== null && repeats.has(value))
    throw celError(
      'repeated_field',
      'the header came more than once: raw() and join() tell all of its values',
    )
}

/** A credential that shows itself only to `unredacted()`. */
export class Secret {
  readonly #value: string

  constructor(value: string) {
    this.#value = value
  }

  reveal(): string {
    return this.#value
  }

  toString(): string {
    return redacted
  }

  toJSON(): string {
    return redacted
  }
}

/** The value behind a secret or a redacted view; anything else is itself. */
export const reveal = (value: unknown): unknown => {
  if (value instanceof Secret) return value.reveal()
  if (value instanceof HeadersView) return value.redacting(false)
  return value
}
