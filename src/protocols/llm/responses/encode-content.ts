import type { JsonObject } from '../../json/json-object.ts'
import type { FilePart, ImagePart, Part, TextPart } from '../chat/parts.ts'
import type { CacheMark } from '../chat/cache-mark.ts'
import type { Losses } from '../dropped-fields.ts'
import { urlOf } from './data-url.ts'

/** The options of encoding content. */
export interface ContentTarget {
  readonly losses: Losses
  /** Whether the model supports the format's own cache marks. Other models refuse them, and cache without marks. */
  readonly supportsBreakpoints: boolean
}

/** Encodes a part of a user message or a tool result (`ResponseInputContent` of the SDK). */
export const encodeInputPart = (
  part: TextPart | ImagePart | FilePart,
  target: ContentTarget,
): JsonObject => ({ ...encodeShown(part), ...breakpoint(part.cache, target) })

/** Encodes the cache mark of a part, as a member to be spread into it; empty without a mark. */
export const breakpoint = (
  mark: CacheMark | undefined,
  { losses, supportsBreakpoints }: ContentTarget,
): JsonObject => {
  if (!mark) return {}
  if (!supportsBreakpoints) losses.drop('cache_control')
  // The TTL is fixed in this format.
  else if (mark.ttl !== undefined) losses.drop('cache_control.ttl')
  return supportsBreakpoints ? { prompt_cache_breakpoint: { mode: 'explicit' } } : {}
}

const encodeShown = (part: TextPart | ImagePart | FilePart): JsonObject => {
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

/** Encodes a part of a user message; undefined for parts that only a model can produce. */
export const encodeUserPart = (part: Part, target: ContentTarget): JsonObject | undefined => {
  switch (part.type) {
    case 'text':
    case 'image':
    case 'file':
      return encodeInputPart(part, target)
    case 'audio':
      return { type: 'input_audio', input_audio: { data: part.base64, format: part.format } }
    default:
      return undefined
  }
}

/** Encodes a part of a model's message; undefined for parts that are separate items or have no equivalent. */
export const encodeAssistantPart = (part: Part, losses: Losses): JsonObject | undefined => {
  if (part.type === 'refusal') return { type: 'refusal', refusal: part.text }
  if (part.type !== 'text') return undefined
  if (part.cache) losses.drop('cache_control')
  return { type: 'output_text', text: part.text }
}
