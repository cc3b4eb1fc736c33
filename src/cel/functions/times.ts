import type { Duration } from '@marcbachmann/cel-js/evaluator'
import { inZone } from '../values/time-zone.ts'
import type { FunctionGroup, Handler } from './function.ts'

/** Part of a timestamp → how it is computed from the UTC parts of a date. */
const parts: Readonly<Record<string, (time: Date) => number>> = {
  getFullYear: (time) => time.getUTCFullYear(),
  getMonth: (time) => time.getUTCMonth(),
  getDate: (time) => time.getUTCDate(),
  getDayOfMonth: (time) => time.getUTCDate() - 1,
  getDayOfWeek: (time) => time.getUTCDay(),
  getDayOfYear: (time) => {
    const first = new Date(time)
    first.setUTCMonth(0, 1)
    return Math.round((time.getTime() - first.getTime()) / 86_400_000)
  },
  getHours: (time) => time.getUTCHours(),
  getMinutes: (time) => time.getUTCMinutes(),
  getSeconds: (time) => time.getUTCSeconds(),
  getMilliseconds: (time) => time.getUTCMilliseconds(),
}

/** A whole duration in units of that length. */
const spans: Readonly<Record<string, (span: Duration) => bigint>> = {
  getHours: ({ seconds }) => seconds / 3600n,
  getMinutes: ({ seconds }) => seconds / 60n,
  getSeconds: ({ seconds }) => seconds,
  getMilliseconds: ({ seconds, nanos }) => seconds * 1000n + BigInt(Math.floor(nanos / 1_000_000)),
}

/** The name under which our replacement of a library function is registered. */
export const registeredAs = (name: string): string => `time${name.charAt(0).toUpperCase()}${name.slice(1)}`

/** Names of the functions on times that replace the library's. */
export const timeFunctionNames: readonly string[] = Object.keys(parts)

const overloads: Record<string, Handler> = {}
for (const [name, read] of Object.entries(parts)) {
  const timestamp = `google.protobuf.Timestamp.${registeredAs(name)}`
  overloads[`${timestamp}(): int`] = (time: Date) => BigInt(read(time))
  overloads[`${timestamp}(string): int`] = (time: Date, zone: string) => BigInt(read(inZone(time, zone)))
}
for (const [name, read] of Object.entries(spans))
  overloads[`google.protobuf.Duration.${registeredAs(name)}(): int`] = read

/** Functions on timestamps and durations. */
export const times: FunctionGroup = {
  title: 'Types and time',
  functions: [
    {
      usage: `time.getFullYear(), getMonth, getDate, getDayOfMonth, getDayOfWeek, getDayOfYear, getHours, getMinutes, getSeconds, getMilliseconds`,
      description:
        'Parts of a timestamp, in UTC or in the time zone given, a name or an offset such as `+02:00`. `getMonth`, `getDayOfMonth` and `getDayOfYear` count from 0. Of a duration, the last four give all of it in that unit.',
      overloads,
    },
  ],
}
