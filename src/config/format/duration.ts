import type { FormatCheck } from './format-check.ts'

/**
 * Parses a Go-style duration into milliseconds: numbers with units (`ns us µs ms s m h`), one after the
 * other, or `0`. Undefined for other texts, and for durations over about 285 years.
 *
 * Expressions have stricter rules with signs and exact nanoseconds: see cel/functions/conversions.ts.
 *
 * @example
 * parseDuration('1m30s') // 90000
 */
export function parseDuration(text: string): number | undefined {
  if (text === '0') return 0
  if (!WHOLE.test(text)) return undefined
  let total = 0
  for (const [, count, unit] of text.matchAll(PART)) total += Number(count) * (UNIT_MS[unit ?? ''] ?? NaN)
  return total <= Number.MAX_SAFE_INTEGER / 1000 ? total : undefined
}

/**
 * Formats milliseconds as Go does.
 *
 * @example
 * formatDuration(90_000) // '1m30s'
 */
export function formatDuration(ms: number): string {
  if (ms === 0) return '0s'
  if (ms < 1000) return `${trim(ms)}ms`
  const hours = Math.floor(ms / 3_600_000)
  const minutes = Math.floor((ms % 3_600_000) / 60_000)
  const seconds = `${trim((ms % 60_000) / 1000)}s`
  if (hours > 0) return `${String(hours)}h${String(minutes)}m${seconds}`
  return minutes > 0 ? `${String(minutes)}m${seconds}` : seconds
}

/** A Go-style duration. */
export const durationFormat: FormatCheck = (text) => {
  if (parseDuration(text) !== undefined) return undefined
  const bare = /^\d+(\.\d+)?$/.test(text)
  return {
    expectation: 'must be a duration such as 10s, 1m30s or 500ms',
    ...(bare ? { hint: `did you mean "${text}s"?` } : {}),
  }
}

const UNIT_MS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
}

const NUMBER = String.raw`(\d+(?:\.\d*)?|\.\d+)(ns|us|\u00b5s|\u03bcs|ms|s|m|h)`
const PART = new RegExp(NUMBER, 'g')
const WHOLE = new RegExp(`^(?:${NUMBER})+$`)

function trim(value: number): string {
  return String(Math.round(value * 1e6) / 1e6)
}
