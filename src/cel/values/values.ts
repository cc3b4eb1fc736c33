import { Duration, UnsignedInt } from '@marcbachmann/cel-js/evaluator'
import { HeadersView, Secret } from '../context/headers-view.ts'
import { isRecordView } from '../context/record.ts'
import { celError } from '../engine/eval-error.ts'
import { limits } from '../limits.ts'
import { callerMap } from './caller-map.ts'
import { IpAddress, CelIpRange } from './ip-address.ts'
import { timeText } from './timestamp.ts'

/**
 * The same as `fromPlain`, cached for an object that never changes: many expressions of one exchange read
 * claims and similar objects, which can be large.
 */
export const convertedOnce = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null) return fromPlain(value)
  let known = conversions.get(value)
  if (known === undefined) conversions.set(value, (known = fromPlain(value)))
  return known
}

const conversions = new WeakMap<object, unknown>()

/** As {@link convertedOnce}, for JSON that a caller sent. */
export const callersOnce = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null) return fromPlain(value)
  let known = callersConversions.get(value)
  if (known === undefined) callersConversions.set(value, (known = fromPlain(value, false, true)))
  return known
}

const callersConversions = new WeakMap<object, unknown>()

/**
 * Converts a plain JavaScript value (from `JSON.parse`) to CEL: whole numbers become integers, objects
 * become maps. A `Map` has no prototype: a caller's JSON may have a key named `constructor`.
 *
 * @param keepsDoubles Numbers are doubles; integers are bigint already.
 * @param isCallers A caller sent it: if names differ in letter case only, none of them is read.
 */
export const fromPlain = (value: unknown, keepsDoubles = false, isCallers = false, depth = 0): unknown => {
  if (typeof value === 'number') return !keepsDoubles && Number.isSafeInteger(value) ? BigInt(value) : value
  if (typeof value !== 'object' || value === null) return value
  if (depth > limits.jsonDepth) throw celError('limit_exceeded', 'the value is nested too deeply')
  if (Array.isArray(value)) return value.map((item) => fromPlain(item, keepsDoubles, isCallers, depth + 1))
  if (!isPlainObject(value)) return value
  const map = isCallers ? callerMap() : new Map<unknown, unknown>()
  for (const [key, member] of Object.entries(value))
    if (member !== undefined) map.set(key, fromPlain(member, keepsDoubles, isCallers, depth + 1))
  return map
}

/**
 * Converts a CEL value to plain JavaScript, for `JSON.stringify` and logs. Integers beyond 2^53 become
 * decimal text, bytes base64, timestamps RFC 3339, durations such as `1.5s`, addresses their usual text;
 * secrets stay hidden.
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
 * Converts a CEL value to text, for header values and similar uses.
 *
 * @returns undefined for null, lists and maps.
 */
export const toText = (value: unknown): string | undefined => {
  if (typeof value === 'string') return value
  if (value instanceof Uint8Array) return Buffer.from(value).toString()
  if (typeof value === 'bigint' || typeof value === 'number' || typeof value === 'boolean')
    return String(value)
  if (value instanceof Date) return timeText(value)
  if (value instanceof Duration) return durationText(value)
  if (value instanceof UnsignedInt || value instanceof Secret) return String(value)
  if (value instanceof IpAddress || value instanceof CelIpRange) return value.toString()
  return undefined
}

/** The members of a map, record or headers; throws for other values. */
export const entriesOf = (value: unknown): Iterable<readonly [key: unknown, value: unknown]> => {
  if (value instanceof Map) return value as Map<unknown, unknown>
  if (value instanceof HeadersView) return value.toMap()
  if (typeof value === 'object' && value !== null) {
    if (isRecordView(value)) return presentFields(value)
    if (isPlainObject(value)) return Object.entries(value)
  }
  throw celError('no_such_overload', 'not a map')
}

/** The result of `flatten`: its members become separate fields of a log entry. */
export class Flattened {
  readonly value: unknown
  readonly recursive: boolean

  constructor(value: unknown, recursive: boolean) {
    this.value = value
    this.recursive = recursive
  }
}

/** Whether a value is an object made by a literal or by `JSON.parse`. */
export const isPlainObject = (value: object): value is Record<string, unknown> => {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** The fields of a record that are present; a body that was not buffered is left out. */
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

/** Seconds with as many decimals as needed. The library's own text is wrong for negative values. */
const durationText = ({ seconds, nanos }: Duration): string => {
  const total = seconds * 1_000_000_000n + BigInt(nanos)
  const digits = (total < 0n ? -total : total).toString().padStart(10, '0')
  const fraction = digits.slice(-9).replace(/0+$/, '')
  return `${total < 0n ? '-' : ''}${digits.slice(0, -9)}${fraction && `.${fraction}`}s`
}
