/** A time in RFC 3339, without trailing zeros in its fraction. */
export const timeText = (time: Date): string => {
  const text = time.toISOString()
  return text.endsWith('.000Z') ? `${text.slice(0, -5)}Z` : text.replace(/0+Z$/, 'Z')
}

/** Parses RFC 3339; undefined for other texts. Digits beyond milliseconds are cut off. */
export const parseTime = (text: string): Date | undefined => {
  const [, day = '', clock = '', zone = ''] = timePattern.exec(text) ?? []
  if (day === '' || clock.startsWith('24')) return undefined
  const midnight = new Date(`${day}T00:00:00Z`)
  // JavaScript reads February 30 as March 2.
  if (Number.isNaN(midnight.getTime()) || midnight.toISOString().slice(0, 10) !== day) return undefined
  const time = new Date(`${day}T${clock}${zone.toUpperCase()}`)
  return time.getTime() >= firstTime && time.getTime() <= lastTime ? time : undefined
}

const timePattern = /^(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d:\d\d(?:\.\d{1,9})?)([Zz]|[+-]\d\d:\d\d)$/

/** The first millisecond of the year 1. */
export const firstTime = -62_135_596_800_000
/** The last millisecond of the year 9999. */
export const lastTime = 253_402_300_799_999
