import { Duration } from '@marcbachmann/cel-js/evaluator'
import { celError } from '../failure.ts'
import { toText } from '../values.ts'
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
 * Reads `1h30m`, `-1.5s`, `200ms`. The library's own reader takes cubic time for a text of many digits, which a caller
 * may well send.
 */
export const parseDuration = (text: string): Duration => {
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
  // Never negative nanoseconds: the library's sums are wrong with them.
  const part = ((nanos % 1_000_000_000n) + 1_000_000_000n) % 1_000_000_000n
  return new Duration((nanos - part) / 1_000_000_000n, Number(part))
}

/** The library reads an empty text as 0, and does not look at the range of doubles. */
const parseInteger = (text: string): bigint => {
  const value = /^[+-]?\d{1,19}$/.test(text) ? BigInt(text.replace(/^\+/, '')) : undefined
  if (value === undefined || BigInt.asIntN(64, value) !== value)
    throw celError('int_conversion_error', 'int: not a whole number')
  return value
}

const truncate = (value: number): bigint => {
  const whole = Number.isFinite(value) ? BigInt(Math.trunc(value)) : undefined
  if (whole === undefined || BigInt.asIntN(64, whole) !== whole)
    throw celError('numeric_overflow', 'int: out of range')
  return whole
}

/** Conversions that the library lacks, or does otherwise. */
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
      description: 'Text of a number, boolean, timestamp, duration or UTF-8 bytes.',
      overloads: {
        [`string(${timestampType}): string`]: (at: Date) => at.toISOString(),
        [`string(${durationType}): string`]: (span: Duration) => toText(span),
      },
    },
    {
      usage: 'duration(string)',
      description: 'A time span such as `1h30m`, `1.5s` or `200ms`.',
      overloads: {
        'toDuration(string): google.protobuf.Duration': parseDuration,
        [`toDuration(${durationType}): ${durationType}`]: (span: Duration) => span,
      },
    },
    {
      usage: 'timestamp(x)',
      description: 'A point in time of an RFC 3339 text or of seconds since 1970.',
      overloads: { [`timestamp(${timestampType}): ${timestampType}`]: (at: Date) => at },
    },
    {
      usage:
        't.getFullYear(), getMonth, getDate, getDayOfMonth, getDayOfWeek, getDayOfYear, getHours, getMinutes, getSeconds, getMilliseconds',
      description:
        'Parts of a timestamp, in UTC or in the time zone given. `getMonth`, `getDayOfMonth` count from 0.',
      overloads: {},
    },
    {
      usage: 'type(x), dyn(x)',
      description: 'The type of a value; the value without its static type.',
      overloads: {},
    },
    { usage: 'size(x), x.size()', description: 'Characters, bytes, elements or entries.', overloads: {} },
  ],
}
