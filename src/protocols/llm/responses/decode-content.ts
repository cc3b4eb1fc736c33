import type { JsonObject } from '../../json/json-object.ts'
import { BadRequest } from '../chat/codec.ts'
import type { FilePart, ImagePart, Part, Source } from '../chat/parts.ts'
import type { CacheMark } from '../chat/request.ts'
import type { Losses } from '../losses.ts'
import { sourceOf } from './data-url.ts'
import { asked, isAbsent } from '../checked.ts'

/**
 * Reads what a message or the output of a function holds (`ResponseInputMessageContentList` and
 * `ResponseOutputMessage.content` of the SDK).
 *
 * @param field Where it stands, for complaints.
 */
export const decodeContent = (content: unknown, field: string, losses: Losses): readonly Part[] => {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  if (!Array.isArray(content)) throw new BadRequest(`${field} must be a string or an array`)
  return content.map((part, i) => decodePart(asked.object(part, `${field}[${i}]`), `${field}[${i}]`, losses))
}

const decodePart = (part: JsonObject, field: string, losses: Losses): Part => {
  switch (part.type) {
    case 'input_text':
    case 'output_text':
    case 'text':
      if (asked.listOrNone(part.annotations, `${field}.annotations`).length > 0)
        losses.drop('input.content.annotations')
      return {
        type: 'text',
        text: asked.text(part.text, `${field}.text`),
        ...cacheOf(part, field, losses),
      }
    case 'refusal':
      return { type: 'refusal', text: asked.text(part.refusal, `${field}.refusal`) }
    case 'input_image':
      return decodeImage(part, field, losses)
    case 'input_file':
      return decodeFile(part, field, losses)
    case 'input_audio': {
      const audio = asked.object(part.input_audio, `${field}.input_audio`)
      return {
        type: 'audio',
        base64: asked.text(audio.data, `${field}.input_audio.data`),
        format: asked.text(audio.format, `${field}.input_audio.format`),
      }
    }
    default:
      throw new BadRequest(`${field}.type is not one that can be understood`)
  }
}

const decodeImage = (part: JsonObject, field: string, losses: Losses): ImagePart => {
  const url = asked.textIfAny(part.image_url, `${field}.image_url`)
  const fileId = asked.textIfAny(part.file_id, `${field}.file_id`)
  return {
    type: 'image',
    source: oneOf(url === undefined ? undefined : sourceOf(url), fileId, `${field}.image_url`),
    detail: asked.textIfAny(part.detail, `${field}.detail`),
    ...cacheOf(part, field, losses),
  }
}

const decodeFile = (part: JsonObject, field: string, losses: Losses): FilePart => {
  const data = asked.textIfAny(part.file_data, `${field}.file_data`)
  const url = asked.textIfAny(part.file_url, `${field}.file_url`)
  const fileId = asked.textIfAny(part.file_id, `${field}.file_id`)
  if (!isAbsent(part.detail)) losses.drop('input.content.detail')
  const bytes = data === undefined ? undefined : fileBytes(data)
  return {
    type: 'file',
    source: oneOf(bytes ?? (url === undefined ? undefined : sourceOf(url)), fileId, `${field}.file_data`),
    name: asked.textIfAny(part.filename, `${field}.filename`),
    ...cacheOf(part, field, losses),
  }
}

const fileBytes = (data: string): Source =>
  // Some clients send the bytes without saying what they are; the format began with PDF alone.
  data.slice(0, 5).toLowerCase() === 'data:' ? sourceOf(data) : { base64: data, mediaType: 'application/pdf' }

const oneOf = (source: Source | undefined, fileId: string | undefined, field: string): Source => {
  if (source) return source
  if (fileId === undefined) throw new BadRequest(`${field} is missing`)
  return { fileId }
}

const cacheOf = (part: JsonObject, field: string, losses: Losses): { cache?: CacheMark } => {
  const mark = asked.objectIfAny(part.prompt_cache_breakpoint, `${field}.prompt_cache_breakpoint`)
  if (!mark) return {}
  // The times of this format are not those of others, and are a minimum: the provider's default takes their place.
  if (!isAbsent(mark.ttl)) losses.drop('input.content.prompt_cache_breakpoint.ttl')
  return { cache: {} }
}
