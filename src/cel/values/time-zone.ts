import { celError } from '../engine/eval-error.ts'
import { trackCache } from '../../model/introspection/cache-usage.ts'

/**
 * A time whose UTC parts are the local time of a zone.
 *
 * @param zone A name such as `Europe/Berlin`, or an offset such as `+02:00`, `-05:30` or `02:00`.
 */
export const inZone = (time: Date, zone: string): Date => {
  const [, sign, hours, minutes] = /^([+-]?)(\d\d):(\d\d)$/.exec(zone) ?? []
  if (hours !== undefined) {
    const offset = (Number(hours) * 60 + Number(minutes)) * 60_000
    return new Date(time.getTime() + (sign === '-' ? -offset : offset))
  }
  const parts = Object.fromEntries(
    formatOf(zone)
      .formatToParts(time)
      .map(({ type, value }) => [type, Number(value)]),
  )
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts
  const zoned = new Date(0)
  zoned.setUTCFullYear(year, month - 1, day)
  zoned.setUTCHours(hour, minute, second, time.getUTCMilliseconds())
  return zoned
}

/** Creating one takes 50 µs. Zones may come from callers, so only some are cached. */
const formatOf = (zone: string): Intl.DateTimeFormat => {
  const known = formats.get(zone)
  if (known) return known
  if (zone.length > 64) throw celError('invalid_time_zone', 'no such time zone')
  let format: Intl.DateTimeFormat
  try {
    format = new Intl.DateTimeFormat('en-US', { timeZone: zone, ...numbers })
  } catch (cause) {
    if (cause instanceof RangeError) throw celError('invalid_time_zone', 'no such time zone')
    throw cause
  }
  if (formats.size >= most) formats.delete(formats.keys().next().value as string)
  formats.set(zone, format)
  return format
}

const numbers = {
  calendar: 'iso8601',
  hourCycle: 'h23',
  year: 'numeric',
  month: 'numeric',
  day: 'numeric',
  hour: 'numeric',
  minute: 'numeric',
  second: 'numeric',
} as const

const most = 32
const formats = trackCache('cel_time_zones', new Map<string, Intl.DateTimeFormat>(), { maxEntries: most })
