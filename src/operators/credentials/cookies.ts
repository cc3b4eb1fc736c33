import type { Headers } from '../../model/exchange/headers.ts'

/** Name and value of every cookie of a request, in order, duplicates included. */
export const cookiesOf = (headers: Headers): readonly (readonly [name: string, value: string])[] =>
  headers
    .all('cookie')
    .flatMap((field) => field.split(';'))
    .map((pair): readonly [string, string] => {
      const equals = pair.indexOf('=')
      return equals < 0 ? [pair.trim(), ''] : [pair.slice(0, equals).trim(), pair.slice(equals + 1).trim()]
    })

/** Removes cookies from a request, and keeps the others unchanged. */
export const removeCookies = (headers: Headers, isUnwanted: (name: string) => boolean): void => {
  const fields = headers.all('cookie')
  headers.delete('cookie')
  for (const field of fields) {
    const kept = field.split(';').filter((pair) => !isUnwanted((pair.split('=', 1)[0] ?? '').trim()))
    if (kept.length > 0) headers.append('cookie', kept.join(';').trim())
  }
}
