import type { JsonObject } from '../../json/json-object.ts'
import { mediaTypeOf } from '../chat/media-types.ts'
import type { FilePart, Source } from '../chat/parts.ts'
import type { Fields } from '../members/fields.ts'

/** Decodes the source of an image or a document; undefined for a document that consists of blocks. */
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

/** The source of a document with a text. */
export const plainText = (text: string): Source => ({
  base64: Buffer.from(text).toString('base64'),
  mediaType: 'text/plain',
})

/** Encodes the source of an image or a document, whose name may determine the media type. */
export const imageSource = (source: Source, name?: string): JsonObject => {
  if ('base64' in source)
    return { type: 'base64', media_type: mediaTypeOf(source, name) ?? source.mediaType, data: source.base64 }
  if ('url' in source) return { type: 'url', url: source.url }
  return { type: 'file', file_id: source.fileId }
}

/** Encodes the source of a document. Texts are sent as plain text: base64 is only supported for PDFs. */
export const documentSource = ({ source, name }: FilePart): JsonObject => {
  if ('base64' in source && mediaTypeOf(source, name)?.startsWith('text/'))
    return { type: 'text', media_type: 'text/plain', data: Buffer.from(source.base64, 'base64').toString() }
  return imageSource(source, name)
}

/** Whether a file is an image, which has its own type of block in this format. */
export const isImage = ({ source, name }: FilePart): boolean =>
  'mediaType' in source && (mediaTypeOf(source, name)?.startsWith('image/') ?? false)
