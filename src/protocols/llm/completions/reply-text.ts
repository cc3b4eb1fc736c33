import { jsonObjectIn, jsonObjectOr } from '../../json/json-object.ts'
import type { Checked } from '../members/typed-fields.ts'

/** The text and the thinking of a message's content. */
export interface ReplyTexts {
  readonly text: string
  readonly thoughts: string
}

/** Reads the content of a message or a delta: a text, or a list of parts, where Mistral puts thinking too. */
export const textsIn = (content: unknown, at: string, read: Checked): ReplyTexts => {
  if (content === undefined || content === null) return nothing
  if (!Array.isArray(content)) return { text: read.text(content, at), thoughts: '' }
  let text = ''
  let thoughts = ''
  for (const part of content) {
    const one = jsonObjectOr(part)
    if (one.type === 'thinking') thoughts += wordsOf(one.thinking)
    else if (typeof one.text === 'string') text += one.text
  }
  return { text, thoughts }
}

const wordsOf = (parts: unknown): string => {
  if (typeof parts === 'string') return parts
  if (!Array.isArray(parts)) return ''
  return parts
    .map((part) => jsonObjectIn(part)?.text)
    .filter((text) => typeof text === 'string')
    .join('')
}

const nothing: ReplyTexts = { text: '', thoughts: '' }
