import type { Source } from './parts.ts'

/**
 * The type of an image or a document, as providers know it. Clients write `image/jpg`, which is no type, and for files
 * often one that only says that there are bytes: then the name says more. Undefined if nothing does.
 */
export const mediaTypeOf = (source: Source, name?: string): string | undefined => {
  const written = 'mediaType' in source ? source.mediaType : undefined
  const [bare = ''] = (written ?? '').split(';', 1)
  const type = bare.trim().toLowerCase()
  // Parameters stay: sound has its rate there.
  if (!generic.has(type)) return (aliases.get(type) ?? type) + (written ?? '').slice(bare.length)
  const url = 'url' in source ? source.url : undefined
  return mediaTypeOfName(name) ?? (url === undefined ? undefined : mediaTypeOfUrl(url))
}

/** A file of which nothing but the bytes and perhaps a name are said: formats began with PDF alone. */
export const untypedFile = (base64: string, name: string | undefined): Source => ({
  base64,
  mediaType: mediaTypeOfName(name) ?? 'application/pdf',
})

/** The type of what is behind a URL, by the ending of its path; undefined if it does not tell. */
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
