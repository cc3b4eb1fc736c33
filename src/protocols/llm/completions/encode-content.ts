import type { JsonObject } from '../../json/json-object.ts'
import type { AudioPart, FilePart, ImagePart, Part, Source, TextPart } from '../chat/parts.ts'
import type { Losses } from '../dropped-fields.ts'
import { cacheControl } from './cache-control.ts'
import { dataUrl } from './decode-content.ts'

/** A part of the content of a user message. */
export type UserPart = TextPart | ImagePart | AudioPart | FilePart

/** Whether a part is allowed in the content of a user message. */
export const isUserPart = (part: Part): part is UserPart =>
  part.type === 'text' || part.type === 'image' || part.type === 'audio' || part.type === 'file'

/**
 * Writes the content of a message: a plain text if that suffices, since not every provider accepts lists everywhere.
 * Undefined if nothing is left.
 */
export const encodeContent = (
  parts: readonly UserPart[],
  losses: Losses,
): string | readonly JsonObject[] | undefined => {
  const [first] = parts
  if (first?.type === 'text' && parts.length === 1 && !first.cache) return first.text
  const written = parts.map((part) => encodePart(part, losses)).filter((part) => part !== undefined)
  return written.length === 0 ? undefined : written
}

/** Writes texts as one string of lines, or as a list if a cache breakpoint has to stay in its position. */
export const encodeWords = (parts: readonly TextPart[], losses: Losses): string | readonly JsonObject[] =>
  parts.some(({ cache }) => cache)
    ? (encodeContent(parts, losses) ?? '')
    : parts.map(({ text }) => text).join('\n')

const encodePart = (part: UserPart, losses: Losses): JsonObject | undefined => {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text, ...cacheControl(part.cache) }
    case 'audio':
      return { type: 'input_audio', input_audio: { data: part.base64, format: part.format } }
    case 'image':
      return encodeImage(part, losses)
    case 'file':
      return encodeFile(part, losses)
  }
}

const encodeImage = ({ source, detail, cache }: ImagePart, losses: Losses): JsonObject | undefined => {
  const url = urlOf(source)
  if (url === undefined) {
    losses.drop('messages.content.image.file_id')
    return undefined
  }
  return {
    type: 'image_url',
    image_url: detail === undefined ? { url } : { url, detail },
    ...cacheControl(cache),
  }
}

const encodeFile = ({ source, name, cache }: FilePart, losses: Losses): JsonObject | undefined => {
  if ('url' in source) {
    losses.drop('messages.content.file.url')
    return undefined
  }
  const filename = name === undefined ? {} : { filename: name }
  const file =
    'fileId' in source
      ? { file_id: source.fileId, ...filename }
      : // The name is required with bytes.
        { filename: 'file', ...filename, file_data: dataUrl(source.mediaType, source.base64) }
  return { type: 'file', file, ...cacheControl(cache) }
}

const urlOf = (source: Source): string | undefined => {
  if ('url' in source) return source.url
  return 'base64' in source ? dataUrl(source.mediaType, source.base64) : undefined
}
