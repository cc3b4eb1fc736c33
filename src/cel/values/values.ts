import { Duration, UnsignedInt } from '@marcbachmann/cel-js/evaluator'
import { celError } from './failure.ts'
import { HeadersView, Secret } from './headers-view.ts'
import { limits } from './limits.ts'
import { isRecordView } from './record.ts'
import { timeText } from './time-text.ts'

/**
 * A value of plain JavaScript (what `JSON.parse` gives) as CEL has it: whole numbers become integers, objects become
 * maps. A `Map` has no prototype to confuse: a caller's JSON may well have a key named `constructor`.
 *
 * @param keepsDoubles numbers are doubles already told from integers, which came as bigint.
 */
export const fromPlain = (value: unknown, keepsDoubles = false, depth = 0): unknown => {
  if (typeof value === 'number') return !keepsDoubles && Number.isSafeInteger(value) ? BigInt(value) : value
  if (typeof value !== 'object' || value === null) return value
  if (depth > limits.jsonDepth) throw celError('limit_exceeded', 'the value is nested too deeply')
  if (Array.isArray(value)) return value.map((item) => fromPlain(item, keepsDoubles, depth + 1))
  if (!isPlainObject(value)) return value
  const map = new Map<string, unknown>()
  for (const [key, member] of Object.entries(value))
    if (member !== undefined) map.set(key, fromPlain(member, keepsDoubles, depth + 1))
  return map
}

/**
 * A CEL value as plain JavaScript, for `JSON.stringify`, logs and the like. Integers beyond 2^53 become decimal text,
 * bytes base64, timestamps RFC 3339, durations such as `1.5s`; secrets stay hidden.
 */
export const toPlain = (
  value: unknown,
  wideInteger: (digits: string) => unknown = (digits) => digits,
): unknown => {
  const inner = (item: unknown): unknown => toPlain(item, wideInteger)
  if (typeof value === 'bigint') {
    const number = Number(value)
    return Number.isSafeInteger(number) ? number : wideInteger(value.toString())
  }
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(inner)
  if (value instanceof Map || value instanceof HeadersView || isRecordView(value) || isPlainObject(value))
    return Object.fromEntries(Array.from(entriesOf(value), ([key, member]) => [String(key), inner(member)]))
  if (value instanceof UnsignedInt) return inner(value.value)
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64')
  if (value instanceof Date) return timeText(value)
  if (value instanceof Flattened) return inner(value.value)
  return scalarText(value)
}

/**
 * A CEL value as text, for header values and the like.
 *
 * @returns undefined for what has no natural text: null, lists and maps.
 */
export const toText = (value: unknown): string | undefined => {
  if (typeof value === 'string') return value
  if (value instanceof Uint8Array) return Buffer.from(value).toString()
  if (typeof value === 'bigint' || typeof value === 'number' || typeof value === 'boolean')
    return String(value)
  if (value instanceof Date) return timeText(value)
  if (value instanceof Duration) return durationText(value)
  if (value instanceof UnsignedInt || value instanceof Secret) return String(value)
  return undefined
}

/** Names and values of whatever has some; throws for other values. */
export const entriesOf = (value: unknown): Iterable<readonly [key: unknown, value: unknown]> => {
  if (value instanceof Map) return value as Map<unknown, unknown>
  if (value instanceof HeadersView) return value.toMap()
  if (typeof value === 'object' && value !== null) {
    if (isRecordView(value)) return presentFields(value)
    if (isPlainObject(value)) return Object.entries(value)
  }
  throw celError('no_such_overload', 'not a map')
}

/** What `flatten` gives: a value whose members are to become fields of their own where fields are written. */
export class Flattened {
  readonly value: unknown
  readonly recursive: boolean

  constructor(value: unknown, recursive: boolean) {
    this.value = value
    this.recursive = recursive
  }
}

/** Whether a value is an object as literals and `JSON.parse` make them. */
export const isPlainObject = (value: object): value is Record<string, unknown> => {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** The fields of a record that are there; a body that was not buffered is left out. */
function* presentFields(view: object): Generator<[string, unknown]> {
  // The fields are getters of the prototype, which only `for in` lists.
  for (const name in view) {
    let value: unknown
    try {
      value = (view as Record<string, unknown>)[name]
    } catch {
      continue
    }
    if (value !== undefined) yield [name, value]
  }
}

const scalarText = (value: object): string => toText(value) ?? Object.prototype.toString.call(value)

/** Seconds with as many decimals as it takes. The library's own text is wrong below zero. */
const durationText = ({ seconds, nanos }: Duration): string => {
  const total = seconds * 1_000_000_000n + BigInt(nanos)
  const digits = (total < 0n ? -total : total).toString().padStart(10, '0')
  const fraction = digits.slice(-9).replace(/0+$/, '')
  return `${total < 0n ? '-' : ''}${digits.slice(0, -9)}${fraction && `.${fraction}`}s`
}
