import { Duration } from '@marcbachmann/cel-js/evaluator'
import { celError } from '../engine/eval-error.ts'
import { firstTime, lastTime, parseTime, timeText } from '../values/timestamp.ts'
import { toText } from '../values/values.ts'
import type { FunctionGroup } from './function.ts'

const timestampType = 'google.protobuf.Timestamp'
const durationType = 'google.protobuf.Duration'

const unitNanos: Readonly<Record<string, number>> = {
  h: 3.6e12,
  m: 6e10,
  s: 1e9,
  ms: 1e6,
  us: 1e3,
  µs: 1e3,
  ns: 1,
}

/**
 * Parses `1h30m`, `-1.5s`, `200ms`. The library's parser takes cubic time for strings of many digits, which
 * a caller may send.
 */
export const parseCelDuration = (text: string): Duration => {
  const bad = (): never => {
    throw celError('invalid_duration', 'duration: not a duration such as 1h30m or 1.5s')
  }
  if (text.length > 64 || !/^[+-]?(?:\d+(?:\.\d+)?(?:h|ms|m|s|us|µs|ns))+$/.test(text)) return bad()
  let nanos = 0n
  for (const [, whole, fraction, unit] of text.matchAll(/(\d+)(?:\.(\d+))?(h|ms|m|s|us|µs|ns)/g)) {
    const size = unitNanos[unit as string] as number
    nanos += BigInt(whole as string) * BigInt(size) + BigInt(Math.trunc(Number(`0.${fraction ?? 0}`) * size))
  }
  if (text.startsWith('-')) nanos = -nanos
  if (BigInt.asIntN(64, nanos) !== nanos) return bad()
  // Nanoseconds must not be negative: the library's sums would be wrong.
  const part = ((nanos % 1_000_000_000n) + 1_000_000_000n) % 1_000_000_000n
  return new Duration((nanos - part) / 1_000_000_000n, Number(part))
}

/** The library's conversion reads an empty string as 0, and does not check the range. */
const parseInteger = (text: string): bigint => {
  const value = /^[+-]?\d{1,19}$/.test(text) ? BigInt(text.replace(/^\+/, '')) : undefined
  if (value === undefined || BigInt.asIntN(64, value) !== value)
    throw celError('int_conversion_error', 'int: not a whole number')
  return value
}

const truncate = (value: number): bigint => {
  const whole = Number.isFinite(value) ? BigInt(Math.trunc(value)) : undefined
  // -2^63 may be the rounded value of a smaller number, so it is refused.
  if (whole === undefined || BigInt.asIntN(64, whole) !== whole || whole === -(1n << 63n))
    throw celError('numeric_overflow', 'int: out of range')
  return whole
}

const doubleText = (value: number): string =>
  Number.isFinite(value) || Number.isNaN(value) ? String(value) : value > 0 ? '+Inf' : '-Inf'

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Replacing invalid bytes by U+FFFD would make different bytes equal. */
const decodeText = (bytes: Uint8Array): string => {
  try {
    return decoder.decode(bytes)
  } catch {
    throw celError('invalid_utf8', 'string: the bytes are not UTF-8')
  }
}

const timeOf = (text: string): Date => {
  const time = parseTime(text)
  if (!time)
    throw celError('invalid_timestamp', 'timestamp: not a point in time such as 2026-01-02T03:04:05Z')
  return time
}

const timeAt = (seconds: bigint): Date => {
  const ms = Number(seconds) * 1000
  if (!(ms >= firstTime && ms <= lastTime)) throw celError('invalid_timestamp', 'timestamp: out of range')
  return new Date(ms)
}

/** Conversions that the library lacks or implements differently. */
export const conversions: FunctionGroup = {
  title: 'Types and time',
  functions: [
    {
      usage: 'int(x)',
      description: 'A whole number of a string, number or timestamp (seconds since 1970).',
      overloads: {
        'toInt(int): int': (value: bigint) => value,
        'toInt(uint): int': (value: { readonly value: bigint }) => {
          if (BigInt.asIntN(64, value.value) === value.value) return value.value
          throw celError('numeric_overflow', 'int: out of range')
        },
        'toInt(double): int': truncate,
        'toInt(string): int': parseInteger,
        [`toInt(${timestampType}): int`]: (at: Date) => BigInt(Math.floor(at.getTime() / 1000)),
      },
    },
    { usage: 'uint(x), double(x), bool(x), bytes(x)', description: 'A value of that type.', overloads: {} },
    {
      usage: 'string(x)',
      description:
        'Text of a number, boolean, timestamp, duration, address or of bytes, which must be UTF-8.',
      overloads: {
        'toText(string): string': (text: string) => text,
        'toText(bool): string': String,
        'toText(int): string': String,
        'toText(uint): string': String,
        'toText(double): string': doubleText,
        'toText(bytes): string': decodeText,
        [`toText(${timestampType}): string`]: timeText,
        [`toText(${durationType}): string`]: (span: Duration) => toText(span),
      },
    },
    {
      usage: 'duration(string)',
      description: 'A time span such as `1h30m`, `1.5s` or `200ms`.',
      overloads: {
        'toDuration(string): google.protobuf.Duration': parseCelDuration,
        [`toDuration(${durationType}): ${durationType}`]: (span: Duration) => span,
      },
    },
    {
      usage: 'timestamp(x)',
      description: 'A point in time of an RFC 3339 text or of seconds since 1970.',
      overloads: {
        [`toTimestamp(${timestampType}): ${timestampType}`]: (at: Date) => at,
        [`toTimestamp(string): ${timestampType}`]: timeOf,
        [`toTimestamp(int): ${timestampType}`]: timeAt,
      },
    },
    {
      usage: 'type(x), dyn(x)',
      description: 'The type of a value; the value without its static type.',
      overloads: {},
    },
    { usage: 'size(x), x.size()', description: 'Characters, bytes, elements or entries.', overloads: {} },
  ],
}
