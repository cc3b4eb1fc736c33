import type { Headers } from '../../model/exchange/headers.ts'

/**
 * The delay before a retry that a response requests, in milliseconds: Retry-After in either of its forms, and the
 * equivalent fields of rate limiters and model providers. The longest of them counts; undefined if there is none.
 *
 * @param nowMs Milliseconds since the epoch, for fields with a date.
 */
export const retryAfterMs = (headers: Headers, nowMs: number): number | undefined => {
  let longest: number | undefined
  for (const [name, read] of readers) {
    const value = headers.get(name)
    const ms = value === undefined ? undefined : read(value.trim(), nowMs)
    if (ms !== undefined && ms >= 0 && ms > (longest ?? -1)) longest = ms
  }
  return longest
}

type Reader = (value: string, nowMs: number) => number | undefined

const number = (value: string): number | undefined =>
  /^\d+(\.\d+)?$/.test(value) ? Number(value) : undefined

const milliseconds: Reader = (value) => number(value)

/** Seconds; a number so large that it can only be a time since the epoch is parsed as one. */
const seconds: Reader = (value, nowMs) => {
  const count = number(value)
  if (count === undefined) return undefined
  return count > 1_000_000_000 ? count * 1000 - nowMs : count * 1000
}

const date: Reader = (value, nowMs) => {
  const at = Date.parse(value)
  return Number.isNaN(at) ? undefined : at - nowMs
}

const UNITS_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }

/** `6m0s`, `1.5s`, `20ms`. */
const spelledOut: Reader = (value) => {
  if (!/^(\d+(\.\d+)?(ms|[smh]))+$/.test(value)) return undefined
  let ms = 0
  for (const [, count, unit] of value.matchAll(/(\d+(?:\.\d+)?)(ms|[smh])/g))
    ms += Number(count) * (UNITS_MS[unit ?? ''] ?? 0)
  return ms
}

const firstOf =
  (...readers: readonly Reader[]): Reader =>
  (value, nowMs) => {
    for (const read of readers) {
      const ms = read(value, nowMs)
      if (ms !== undefined) return ms
    }
    return undefined
  }

const readers: readonly (readonly [name: string, read: Reader])[] = [
  ['retry-after', firstOf(seconds, date)],
  ['retry-after-ms', milliseconds],
  ['x-ratelimit-reset', firstOf(seconds, spelledOut, date)],
  ['x-ratelimit-reset-after', firstOf(seconds, spelledOut)],
  ['x-ratelimit-reset-requests', firstOf(spelledOut, seconds)],
  ['x-ratelimit-reset-tokens', firstOf(spelledOut, seconds)],
  ['anthropic-ratelimit-requests-reset', date],
  ['anthropic-ratelimit-tokens-reset', date],
]
