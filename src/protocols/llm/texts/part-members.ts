import { type JsonObject, jsonObjectIn } from '../../json/json-object.ts'
import { isTextual, isTextualFormat } from './base64-text.ts'
import { type Mode, modeOf } from './field-modes.ts'
import type { TextRole } from './roles.ts'

/** How a member of a part is searched, by its name and by what is beside it. */
export const modeOfPart = (part: JsonObject, key: string, textRole: TextRole): Mode | undefined => {
  const value = part[key]
  switch (key) {
    case 'data':
      if (typeof value !== 'string') break
      // A document: as it is, or in base64.
      if (part.type === 'text') return 'text'
      return modeOfData(part)
    case 'file_data':
    case 'image_url':
    case 'url':
      if (typeof value !== 'string') break
      return value.startsWith('data:')
        ? 'other'
        : key === 'file_data' && !isEncoded(value)
          ? 'text'
          : undefined
    case 'audio':
      if (typeof value !== 'string') return 'parts'
      return String(part.type).includes('audio') || isEncoded(value) ? undefined : 'text'
    case 'source':
      if (isTextualFormat(part.format) && jsonObjectIn(value)) return 'document'
      break
    case 'name':
      // Of a document: its title.
      if (typeof part.format === 'string' && jsonObjectIn(part.source)) return 'text'
      // Of who speaks: models read it. Of a tool, it is what calls refer to.
      if (typeof part.role === 'string' && typeof value === 'string' && !isTool.test(part.role)) return 'text'
      break
    case 'summary':
      // Whether to sum thoughts up.
      if (typeof value === 'string' && summaries.has(value)) return undefined
      break
    case 'result':
      if (part.type === 'image_generation_call') return undefined
      break
    case 'reasoning':
      // How much to think, as it is asked for.
      if (jsonObjectIn(value)) return 'parts'
      break
    case 'response':
      return textRole.scope === 'toolOutput' ? 'all' : 'parts'
    case 'content':
    case 'output':
      // What a function gives back, without a word on how it is to be read.
      if (textRole.scope === 'toolOutput' && jsonObjectIn(value)?.type === undefined && jsonObjectIn(value))
        return 'all'
  }
  return modeOf(key, value)
}

/** Bytes of a type that is said beside them, or a text. */
const modeOfData = (part: JsonObject): Mode | undefined => {
  const type = part.media_type ?? part.mimeType ?? part.mime_type
  if (isTextual(type)) return 'encoded'
  if (typeof type === 'string' || typeof part.format === 'string') return undefined
  return isEncoded(part.data as string) ? undefined : 'other'
}

/** Whether a string can be bytes in base64, and is too long to be a word. */
const isEncoded = (text: string): boolean => text.length >= 64 && /^[\w+/=-]+$/.test(text.slice(0, 65_536))

const isTool = /^(?:tool|function)$/i
const summaries: ReadonlySet<string> = new Set(['auto', 'concise', 'detailed', 'none'])
