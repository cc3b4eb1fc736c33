import { Duration } from '@marcbachmann/cel-js/evaluator'

/** A field of a record: its CEL type, its description, and how it is read from the attributes. */
export interface Field<F> {
  readonly type: string
  readonly description: string
  /** `undefined` means absent, which expressions see as a missing key. */
  readonly read: (attributes: F) => unknown
}

/**
 * A CEL type with a fixed set of fields, so that a misspelt field is reported when the expression is
 * compiled.
 */
export interface RecordType<F> {
  readonly name: string
  readonly fields: Readonly<Record<string, Field<F>>>
  /** The class by which the library recognises its values. */
  readonly view: new (attributes: F) => object
  /** A value that reads each field from the attributes on access. */
  readonly of: (attributes: F) => object
}

/** Whether a value is of some record type. */
export const isRecordView = (value: object): boolean => views.has(value.constructor)

/** Any record, where only its declaration is used. */
export type AnyRecordType = Pick<RecordType<never>, 'name' | 'fields' | 'view'>

/**
 * Declares a record type.
 *
 * @example
 * const listener = record<{ name: string }>('Listener', {
 *   name: { type: 'string', description: 'Name of the listener.', read: (facts) => facts.name },
 * })
 */
export const celRecordOf = <F>(name: string, fields: Readonly<Record<string, Field<F>>>): RecordType<F> => {
  // Getters on the prototype: a value costs one small object, whatever the number of fields.
  class View {
    readonly #attributes: F
    constructor(attributes: F) {
      this.#attributes = attributes
    }
    static read(view: View, read: (attributes: F) => unknown): unknown {
      return read(view.#attributes)
    }
  }
  for (const [key, { read }] of Object.entries(fields))
    Object.defineProperty(View.prototype, key, {
      enumerable: true,
      get(this: View) {
        return View.read(this, read)
      },
    })
  views.add(View)
  return { name, fields, view: View, of: (attributes) => new View(attributes) }
}

/** A nested record; absent if its attributes are absent. */
export const nested = <F, G>(
  type: RecordType<G>,
  description: string,
  attributes: (outer: F) => G | undefined,
): Field<F> => ({
  type: type.name,
  description,
  read: (outer) => {
    const inner = attributes(outer)
    return inner === undefined ? undefined : type.of(inner)
  },
})

/** A field of plain text. */
export const textField = <F>(description: string, read: (attributes: F) => string | undefined): Field<F> => ({
  type: 'string',
  description,
  read,
})

/** A whole number. */
export const integer = <F>(description: string, read: (attributes: F) => number | undefined): Field<F> => ({
  type: 'int',
  description,
  read: (attributes) => {
    const value = read(attributes)
    return value === undefined ? undefined : BigInt(value)
  },
})

/** A number that may have a fraction. */
export const number = <F>(description: string, read: (attributes: F) => number | undefined): Field<F> => ({
  type: 'double',
  description,
  read,
})

/** A time span. */
export const durationField = <F>(
  description: string,
  readMs: (attributes: F) => number | undefined,
): Field<F> => ({
  type: 'google.protobuf.Duration',
  description,
  read: (attributes) => {
    const ms = readMs(attributes)
    return ms === undefined ? undefined : Duration.fromMilliseconds(ms)
  },
})

/** The class of every record type. */
const views = new Set<unknown>()
