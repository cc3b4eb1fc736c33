import type { JsonObject } from '../../json/json-object.ts'
import { mediaTypeOf } from '../chat/media-types.ts'
import type { FilePart, Source } from '../chat/parts.ts'
import type { Fields } from '../members/fields.ts'

/** Reads where an image or a document is; undefined for a document whose content is blocks of its own. */
export const messageSourceOf = (source: Fields): Source | undefined => {
  const type = source.neededText('type')
  switch (type) {
    case 'base64':
      return { base64: source.neededText('data'), mediaType: source.neededText('media_type') }
    case 'text':
      return plainText(source.neededText('data'))
    case 'url':
      return { url: source.neededText('url') }
    case 'file':
      return { fileId: source.neededText('file_id') }
    case 'content':
      return undefined
    default:
      return source.refuse('type', 'must be one of base64, text, url, file, content')
  }
}

/** A text as the content of a document. */
export const plainText = (text: string): Source => ({
  base64: Buffer.from(text).toString('base64'),
  mediaType: 'text/plain',
})

/** Writes where an image, or a document by its name, is. */
export const imageSource = (source: Source, name?: string): JsonObject => {
  if ('base64' in source)
    return { type: 'base64', media_type: mediaTypeOf(source, name) ?? source.mediaType, data: source.base64 }
  if ('url' in source) return { type: 'url', url: source.url }
  return { type: 'file', file_id: source.fileId }
}

/** Writes where a document is. Texts are written as such: in base64 only PDFs are understood. */
export const documentSource = ({ source, name }: FilePart): JsonObject => {
  if ('base64' in source && mediaTypeOf(source, name)?.startsWith('text/'))
    return { type: 'text', media_type: 'text/plain', data: Buffer.from(source.base64, 'base64').toString() }
  return imageSource(source, name)
}

/** Whether a file is an image, which is a block of its own here. */
export const isImage = ({ source, name }: FilePart): boolean =>
  'mediaType' in source && (mediaTypeOf(source, name)?.startsWith('image/') ?? false)
