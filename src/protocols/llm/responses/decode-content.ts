import type { JsonObject } from '../../json/json-object.ts'
import { BadRequest } from '../chat/codec.ts'
import type { FilePart, ImagePart, Part, Source } from '../chat/parts.ts'
import type { CacheMark } from '../chat/cache-mark.ts'
import { untypedFile } from '../chat/media-types.ts'
import type { Losses } from '../dropped-fields.ts'
import { dataUrlSourceOf } from './data-url.ts'
import { requestValues, isAbsent } from '../members/typed-fields.ts'

/**
 * Decodes the content of a message or of a function's output (`ResponseInputMessageContentList` and
 * `ResponseOutputMessage.content` of the SDK).
 *
 * @param field The path of the field, for error messages.
 */
export const decodeContent = (content: unknown, field: string, losses: Losses): readonly Part[] => {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  if (!Array.isArray(content)) throw new BadRequest(`${field} must be a string or an array`)
  return content.map((part, i) =>
    decodePart(requestValues.object(part, `${field}[${i}]`), `${field}[${i}]`, losses),
  )
}

const decodePart = (part: JsonObject, field: string, losses: Losses): Part => {
  switch (part.type) {
    case 'input_text':
    case 'output_text':
    case 'text':
      if (requestValues.listOrNone(part.annotations, `${field}.annotations`).length > 0)
        losses.drop('input.content.annotations')
      return {
        type: 'text',
        text: requestValues.text(part.text, `${field}.text`),
        ...cacheOf(part, field, losses),
      }
    case 'refusal':
      return { type: 'refusal', text: requestValues.text(part.refusal, `${field}.refusal`) }
    case 'input_image':
      return decodeImage(part, field, losses)
    case 'input_file':
      return decodeFile(part, field, losses)
    case 'input_audio': {
      const audio = requestValues.object(part.input_audio, `${field}.input_audio`)
      return {
        type: 'audio',
        base64: requestValues.text(audio.data, `${field}.input_audio.data`),
        format: requestValues.text(audio.format, `${field}.input_audio.format`),
      }
    }
    default:
      throw new BadRequest(`${field}.type is not one that can be understood`)
  }
}

const decodeImage = (part: JsonObject, field: string, losses: Losses): ImagePart => {
  const url = requestValues.textIfAny(part.image_url, `${field}.image_url`)
  const fileId = requestValues.textIfAny(part.file_id, `${field}.file_id`)
  return {
    type: 'image',
    source: oneOf(url === undefined ? undefined : dataUrlSourceOf(url), fileId, `${field}.image_url`),
    detail: requestValues.textIfAny(part.detail, `${field}.detail`),
    ...cacheOf(part, field, losses),
  }
}

const decodeFile = (part: JsonObject, field: string, losses: Losses): FilePart => {
  const data = requestValues.textIfAny(part.file_data, `${field}.file_data`)
  const url = requestValues.textIfAny(part.file_url, `${field}.file_url`)
  const fileId = requestValues.textIfAny(part.file_id, `${field}.file_id`)
  const name = requestValues.textIfAny(part.filename, `${field}.filename`)
  if (!isAbsent(part.detail)) losses.drop('input.content.detail')
  const bytes = data === undefined ? undefined : fileBytes(data, name)
  return {
    type: 'file',
    source: oneOf(
      bytes ?? (url === undefined ? undefined : dataUrlSourceOf(url)),
      fileId,
      `${field}.file_data`,
    ),
    name,
    ...cacheOf(part, field, losses),
  }
}

const fileBytes = (data: string, name: string | undefined): Source =>
  // Some clients send bytes without a media type.
  data.slice(0, 5).toLowerCase() === 'data:' ? dataUrlSourceOf(data) : untypedFile(data, name)

const oneOf = (source: Source | undefined, fileId: string | undefined, field: string): Source => {
  if (source) return source
  if (fileId === undefined) throw new BadRequest(`${field} is missing`)
  return { fileId }
}

const cacheOf = (part: JsonObject, field: string, losses: Losses): { cache?: CacheMark } => {
  const mark = requestValues.objectIfAny(part.prompt_cache_breakpoint, `${field}.prompt_cache_breakpoint`)
  if (!mark) return {}
  // The TTLs of this format differ from those of others and are a minimum: the provider's default replaces them.
  if (!isAbsent(mark.ttl)) losses.drop('input.content.prompt_cache_breakpoint.ttl')
  return { cache: {} }
}
