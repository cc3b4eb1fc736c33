import { type JsonObject, jsonObjectIn } from '../../json/json-object.ts'
import { isTextual, isTextualFormat } from './base64-text.ts'
import { type Mode, modeOf } from './field-modes.ts'
import type { TextRole } from './roles.ts'

/** How a member of a part is searched, by its name and the members beside it. */
export const modeOfPart = (part: JsonObject, key: string, textRole: TextRole): Mode | undefined => {
  const value = part[key]
  switch (key) {
    case 'data':
      if (typeof value !== 'string') break
      // A document, as plain text or in base64.
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
      // The title of a document.
      if (typeof part.format === 'string' && jsonObjectIn(part.source)) return 'text'
      // Models read the name of a participant. The name of a tool is an identifier.
      if (typeof part.role === 'string' && typeof value === 'string' && !isTool.test(part.role)) return 'text'
      break
    case 'summary':
      // A setting: which summary of the reasoning to return.
      if (typeof value === 'string' && summaries.has(value)) return undefined
      break
    case 'result':
      if (part.type === 'image_generation_call') return undefined
      break
    case 'reasoning':
      // The reasoning settings of a request.
      if (jsonObjectIn(value)) return 'parts'
      break
    case 'response':
      return textRole.scope === 'toolOutput' ? 'all' : 'parts'
    case 'content':
    case 'output':
      // The output of a function in no known format.
      if (textRole.scope === 'toolOutput' && jsonObjectIn(value)?.type === undefined && jsonObjectIn(value))
        return 'all'
  }
  return modeOf(key, value)
}

/** Bytes whose media type is in another member, or a text. */
const modeOfData = (part: JsonObject): Mode | undefined => {
  const type = part.media_type ?? part.mimeType ?? part.mime_type
  if (isTextual(type)) return 'encoded'
  if (typeof type === 'string' || typeof part.format === 'string') return undefined
  return isEncoded(part.data as string) ? undefined : 'other'
}

/** Whether a string may be base64, and is too long for a word. */
const isEncoded = (text: string): boolean => text.length >= 64 && /^[\w+/=-]+$/.test(text.slice(0, 65_536))

const isTool = /^(?:tool|function)$/i
const summaries: ReadonlySet<string> = new Set(['auto', 'concise', 'detailed', 'none'])
