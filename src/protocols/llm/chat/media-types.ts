import type { Source } from './parts.ts'

/**
 * The media type of an image or a document, as providers expect it. Clients send `image/jpg`, which is not registered,
 * and often a generic type for files: then the extension of the name decides. Undefined if neither helps.
 */
export const mediaTypeOf = (source: Source, name?: string): string | undefined => {
  const written = 'mediaType' in source ? source.mediaType : undefined
  const [bare = ''] = (written ?? '').split(';', 1)
  const type = bare.trim().toLowerCase()
  // Parameters stay: audio has its sample rate there.
  if (!generic.has(type)) return (aliases.get(type) ?? type) + (written ?? '').slice(bare.length)
  const url = 'url' in source ? source.url : undefined
  return mediaTypeOfName(name) ?? (url === undefined ? undefined : mediaTypeOfUrl(url))
}

/** A file without a media type, perhaps with a name. The default is PDF, the first type that the formats supported. */
export const untypedFile = (base64: string, name: string | undefined): Source => ({
  base64,
  mediaType: mediaTypeOfName(name) ?? 'application/pdf',
})

/** The media type of a URL by the extension of its path; undefined if that is unknown. */
export const mediaTypeOfUrl = (url: string): string | undefined => mediaTypeOfName(url.split(/[?#]/, 1)[0])

const mediaTypeOfName = (name: string | undefined): string | undefined =>
  name === undefined ? undefined : mediaTypes.get(name.slice(name.lastIndexOf('.') + 1).toLowerCase())

const generic: ReadonlySet<string> = new Set([
  '',
  'application/octet-stream',
  'application/x-octet-stream',
  'application/unknown',
  'application/force-download',
  'application/x-download',
  'binary/octet-stream',
  'unknown/unknown',
])

const aliases: ReadonlyMap<string, string> = new Map([
  ['image/jpg', 'image/jpeg'],
  ['image/pjpeg', 'image/jpeg'],
  ['image/x-png', 'image/png'],
  ['application/x-pdf', 'application/pdf'],
  ['text/x-markdown', 'text/markdown'],
])

const mediaTypes: ReadonlyMap<string, string> = new Map([
  ['png', 'image/png'],
  ['jpg', 'image/jpeg'],
  ['jpeg', 'image/jpeg'],
  ['webp', 'image/webp'],
  ['gif', 'image/gif'],
  ['heic', 'image/heic'],
  ['heif', 'image/heif'],
  ['pdf', 'application/pdf'],
  ['txt', 'text/plain'],
  ['md', 'text/markdown'],
  ['markdown', 'text/markdown'],
  ['csv', 'text/csv'],
  ['htm', 'text/html'],
  ['html', 'text/html'],
  ['doc', 'application/msword'],
  ['docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  ['xls', 'application/vnd.ms-excel'],
  ['xlsx', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
  ['mp3', 'audio/mp3'],
  ['wav', 'audio/wav'],
  ['mp4', 'video/mp4'],
])
