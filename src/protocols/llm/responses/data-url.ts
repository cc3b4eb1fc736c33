import type { Source } from '../chat/parts.ts'

/** Where the bytes behind a URL are: in the URL itself, or elsewhere. */
export const dataUrlSourceOf = (url: string): Source => {
  // Schemes are written in any case; a data URL without base64 holds percent-encoded text, which stays a URL.
  if (url.slice(0, 5).toLowerCase() !== 'data:') return { url }
  const comma = url.indexOf(',')
  const head = comma < 0 ? '' : url.slice(5, comma)
  if (!head.endsWith(';base64')) return { url }
  // Parameters, such as a charset, are none of the media type's name.
  const mediaType = head.slice(0, -';base64'.length).split(';', 1)[0] ?? ''
  return { base64: url.slice(comma + 1), mediaType: mediaType === '' ? 'text/plain' : mediaType }
}

/** The URL of bytes: a data URL where they are at hand. */
export const urlOf = (source: Exclude<Source, { fileId: string }>): string =>
  'url' in source ? source.url : `data:${source.mediaType};base64,${source.base64}`
