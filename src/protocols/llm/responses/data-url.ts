import type { Source } from '../chat/parts.ts'

/** The source of a URL: the bytes of a base64 data URL, or the URL itself. */
export const dataUrlSourceOf = (url: string): Source => {
  // Schemes are case-insensitive. A data URL without base64 is percent-encoded text and stays a URL.
  if (url.slice(0, 5).toLowerCase() !== 'data:') return { url }
  const comma = url.indexOf(',')
  const head = comma < 0 ? '' : url.slice(5, comma)
  if (!head.endsWith(';base64')) return { url }
  // Parameters, such as a charset, are not part of the media type's name.
  const mediaType = head.slice(0, -';base64'.length).split(';', 1)[0] ?? ''
  return { base64: url.slice(comma + 1), mediaType: mediaType === '' ? 'text/plain' : mediaType }
}

/** The URL of a source: a data URL if it contains the bytes. */
export const urlOf = (source: Exclude<Source, { fileId: string }>): string =>
  'url' in source ? source.url : `data:${source.mediaType};base64,${source.base64}`
