import type { JsonObject } from '../../json/json-object.ts'
import type { FilePart, ImagePart, Part, TextPart } from '../chat/parts.ts'
import type { Losses } from '../losses.ts'
import { urlOf } from './data-url.ts'

/** What a user, or a tool, shows the model (`ResponseInputContent` of the SDK). */
export const encodeInputPart = (part: TextPart | ImagePart | FilePart, losses: Losses): JsonObject => {
  // The format's own marks are understood by the newest models alone, and refused by others: there is a cache anyway.
  if (part.cache) losses.drop('cache_control')
  switch (part.type) {
    case 'text':
      return { type: 'input_text', text: part.text }
    case 'image':
      return {
        type: 'input_image',
        detail: part.detail ?? 'auto',
        ...('fileId' in part.source ? { file_id: part.source.fileId } : { image_url: urlOf(part.source) }),
      }
    case 'file':
      return { type: 'input_file', ...encodeFile(part) }
  }
}

const encodeFile = ({ source, name }: FilePart): JsonObject => {
  if ('fileId' in source) return { file_id: source.fileId }
  if ('url' in source) return { file_url: source.url }
  // Bytes without a file name are refused.
  return { filename: name ?? 'document', file_data: urlOf(source) }
}

/** What a user says; undefined for what only a model can say. */
export const encodeUserPart = (part: Part, losses: Losses): JsonObject | undefined => {
  switch (part.type) {
    case 'text':
    case 'image':
    case 'file':
      return encodeInputPart(part, losses)
    case 'audio':
      return { type: 'input_audio', input_audio: { data: part.base64, format: part.format } }
    default:
      return undefined
  }
}

/** What the model said; undefined for what it cannot say in this format, or what is an item of its own. */
export const encodeAssistantPart = (part: Part, losses: Losses): JsonObject | undefined => {
  if (part.type === 'refusal') return { type: 'refusal', refusal: part.text }
  if (part.type !== 'text') return undefined
  if (part.cache) losses.drop('cache_control')
  return { type: 'output_text', text: part.text }
}
