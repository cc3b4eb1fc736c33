import { Duration } from '@marcbachmann/cel-js/evaluator'

/** A field of a record: its CEL type, what it means, and how it is read from the facts. */
export interface Field<F> {
  readonly type: string
  readonly description: string
  /** `undefined` means absent, which expressions see as a missing key. */
  readonly read: (facts: F) => unknown
}

/** A CEL type with a fixed set of fields, so that a misspelt field is found when the expression is compiled. */
export interface RecordType<F> {
  readonly name: string
  readonly fields: Readonly<Record<string, Field<F>>>
  /** The class that the library knows its values by. */
  readonly view: new (facts: F) => object
  /** A value that reads its fields from `facts` when they are asked for, and not before. */
  readonly of: (facts: F) => object
}

/** Whether a value is of some record type. */
export const isRecordView = (value: object): boolean => views.has(value.constructor)

/** Any record, where only its declaration matters. */
export type AnyRecordType = Pick<RecordType<never>, 'name' | 'fields' | 'view'>

/**
 * Declares a record type.
 *
 * @example
 * const listener = record<{ name: string }>('Listener', {
 *   name: { type: 'string', description: 'Name of the listener.', read: (facts) => facts.name },
 * })
 */
export const record = <F>(name: string, fields: Readonly<Record<string, Field<F>>>): RecordType<F> => {
  // Getters on the prototype: making a value costs one small object, whatever the number of fields.
  class View {
    readonly #facts: F
    constructor(facts: F) {
      this.#facts = facts
    }
    static read(view: View, read: (facts: F) => unknown): unknown {
      return read(view.#facts)
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
  return { name, fields, view: View, of: (facts) => new View(facts) }
}

/** A nested record: absent if its facts are. */
export const nested = <F, G>(
  type: RecordType<G>,
  description: string,
  facts: (outer: F) => G | undefined,
): Field<F> => ({
  type: type.name,
  description,
  read: (outer) => {
    const inner = facts(outer)
    return inner === undefined ? undefined : type.of(inner)
  },
})

/** A field of plain text. */
export const text = <F>(description: string, read: (facts: F) => string | undefined): Field<F> => ({
  type: 'string',
  description,
  read,
})

/** A whole number. */
export const integer = <F>(description: string, read: (facts: F) => number | undefined): Field<F> => ({
  type: 'int',
  description,
  read: (facts) => {
    const value = read(facts)
    return value === undefined ? undefined : BigInt(value)
  },
})

/** A number that may have a fraction. */
export const number = <F>(description: string, read: (facts: F) => number | undefined): Field<F> => ({
  type: 'double',
  description,
  read,
})

/** A time span. */
export const duration = <F>(description: string, readMs: (facts: F) => number | undefined): Field<F> => ({
  type: 'google.protobuf.Duration',
  description,
  read: (facts) => {
    const ms = readMs(facts)
    return ms === undefined ? undefined : Duration.fromMilliseconds(ms)
  },
})

/** The class of every record type. */
const views = new Set<unknown>()
