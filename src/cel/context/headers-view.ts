import { redacted } from '../../model/trace/redact.ts'
import { celError, noSuchKey } from '../engine/eval-error.ts'

/** The source of header fields. */
export interface HeaderSource {
  /** Every value of the field, in order; `name` is lower-case. */
  all(name: string): readonly string[]
  /** Name and value of every field, repeats included, in order. */
  entries(): Iterable<readonly [name: string, value: string]>
}

/**
 * How the values of one field are returned: as they are, joined with `,`, always as a list, or split at
 * commas.
 */
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
 * The header fields of a message as expressions see them: `h["name"]`, in any case, is a string if the field
 * came once and a list if it was repeated, so that no value can hide behind another.
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

  /** Names of the fields without repeats, in order. */
  names(): string[] {
    const names = new Set<string>()
    for (const [name] of this.#source.entries()) names.add(name.toLowerCase())
    return [...names]
  }

  /** The value of a cookie, in any of the `cookie` fields. */
  cookie(name: string): string {
    for (const field of this.#source.all('cookie'))
      for (const pair of field.split(';')) {
        const equals = pair.indexOf('=')
        if (equals >= 0 && pair.slice(0, equals).trim() === name)
          return this.#redacts && this.#sensitive.has('cookie') ? redacted : pair.slice(equals + 1).trim()
      }
    throw noSuchKey(name)
  }

  /** The same fields in another shape, which replaces a shape set before. */
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
    const visible = this.#redacts && this.#sensitive.has(field) ? values.map(() => redacted) : values
    switch (this.#shape) {
      case 'join':
        return visible.join(',')
      case 'raw':
        return visible
      case 'split':
        return visible.flatMap((value) => value.split(',').map((part) => part.trim()))
      default:
        return visible.length === 1 ? (visible[0] as string) : repeated(visible)
    }
  }
}

/** Values of repeated fields. The author of an expression may have expected a single value. */
const repeats = new WeakSet<object>()

const repeated = (values: readonly string[]): readonly string[] => {
  repeats.add(values)
  return values
}

/**
 * Throws if a repeated field is used as if it were one text. It is neither equal nor unequal to a text: with
 * either result, a client could send a second value to get past a rule about the first.
 */
export const refuseRepeated = (value: unknown): void => {
  if (typeof value === 'object' && value !== null && repeats.has(value))
    throw celError(
      'repeated_field',
      'the header came more than once: raw() and join() tell all of its values',
    )
}

/** A credential that only `unredacted()` reveals. */
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

/** The value of a secret, or the unredacted headers; other values are returned as they are. */
export const reveal = (value: unknown): unknown => {
  if (value instanceof Secret) return value.reveal()
  if (value instanceof HeadersView) return value.redacting(false)
  return value
}
