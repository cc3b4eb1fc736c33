import { celError } from '../engine/eval-error.ts'
import { chargeCost } from '../engine/cost-meter.ts'
import { fromPlain, toPlain } from './values.ts'

/**
 * Parses a JSON text.
 *
 * Whole numbers become integers of the full CEL range and `1.0` a double: identifiers of 19 digits keep all
 * digits.
 */
export const parseJson = (input: string | Uint8Array): unknown => {
  if (typeof input === 'string') return parse(input)
  // Every policy of a route may read the same body: it is parsed once.
  let known = parsed.get(input)
  if (!known)
    parsed.set(
      input,
      (known = { value: parse(Buffer.from(input.buffer, input.byteOffset, input.length).toString()) }),
    )
  return known.value
}

/** The JSON text of a CEL value; integers beyond 2^53 keep their digits. */
export const writeCelJson = (value: unknown): string => {
  const text = JSON.stringify(toPlain(value, rawJson)) as string | undefined
  if (text === undefined) throw celError('no_such_overload', 'toJson: not a value')
  chargeCost(text.length >> 3)
  return text
}

const parsed = new WeakMap<Uint8Array, { readonly value: unknown }>()

/** A fraction, an exponent or more digits than a double can hold: only then is the slower reviver needed. */
const needsSource = /(?:^|[[:,])\s*-?\d+(?:[.eE]|\d{15})/

const parse = (text: string): unknown => {
  chargeCost(text.length >> 3)
  try {
    if (!needsSource.test(text)) return fromPlain(JSON.parse(text), false, true)
    return fromPlain(JSON.parse(text, exactNumber), true, true)
  } catch (cause) {
    if (cause instanceof SyntaxError) throw celError('invalid_json', 'json: not a JSON text')
    throw cause
  }
}

const exactNumber = (_key: string, value: unknown, context?: { readonly source?: string }): unknown => {
  if (typeof value !== 'number' || context?.source === undefined || /[.eE]/.test(context.source)) return value
  const exact = BigInt(context.source)
  return BigInt.asIntN(64, exact) === exact ? exact : value
}

/** ES2026; not in the typings yet. */
const { rawJSON: rawJson } = JSON as unknown as { rawJSON: (text: string) => unknown }
