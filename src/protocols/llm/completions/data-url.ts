import type { Source } from '../chat/parts.ts'

/** What a URL stands for: the bytes that it holds itself (RFC 2397, base64), or a place elsewhere. */
export const sourceOfUrl = (url: string): Source => {
  if (!url.startsWith('data:')) return { url }
  const comma = url.indexOf(',')
  const head = url.slice('data:'.length, comma)
  if (comma < 0 || !head.endsWith(';base64')) return { url }
  // Parameters, such as a charset, are none of the media type's name.
  const mediaType = head.slice(0, -';base64'.length).split(';', 1)[0] ?? ''
  return { base64: url.slice(comma + 1), mediaType: mediaType === '' ? 'text/plain' : mediaType }
}

/** The other way round. */
export const dataUrl = (mediaType: string, base64: string): string => `data:${mediaType};base64,${base64}`
