import { secondsText } from '../config-text.ts'

/** A time of nginx (`60`, `1m30s`, `500ms`) as a duration of a configuration file. */
export const nginxDuration = (text: string | undefined): string | undefined => {
  if (text === undefined) return undefined
  if (/^\d+$/.test(text)) return secondsText(Number(text))
  if (!/^(?:\d+(?:ms|[smhdwMy])\s*)+$/.test(text)) return undefined
  let total = 0
  for (const [, count, unit] of text.matchAll(/(\d+)(ms|[smhdwMy])/g))
    total += Number(count) * (SECONDS[unit ?? ''] ?? 0)
  return secondsText(total)
}

const SECONDS: Readonly<Record<string, number>> = {
  ms: 0.001,
  s: 1,
  m: 60,
  h: 3600,
  d: 86_400,
  w: 604_800,
  M: 2_592_000,
  y: 31_536_000,
}

/** A size of nginx (`8k`, `10m`, `1g`) in bytes. */
export const nginxBytes = (text: string): number | undefined => {
  const match = /^(\d+)([kKmMgG]?)$/.exec(text)
  if (!match) return undefined
  return Number(match[1]) * 1024 ** ['', 'k', 'm', 'g'].indexOf((match[2] ?? '').toLowerCase())
}
