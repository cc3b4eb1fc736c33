import type { JsonObject } from '../../json/json-object.ts'
import type { HiddenThinkingPart, ThinkingPart } from '../chat/parts.ts'
import type { Checked } from '../members/typed-fields.ts'

/**
 * The text of a `reasoning` item, and the encrypted content that only its provider can read.
 *
 * An item with a summary, even an empty one, is thinking that `encrypted_content` signs; without a summary it is hidden.
 * The difference matters to providers that sign the text.
 */
export interface ReasoningItem {
  /** Undefined if the item has neither summary nor content. */
  readonly text: string | undefined
  readonly encrypted: string | undefined
  /** Whether there is a full text beside the summary, which is not in `text`. */
  readonly leavesContent: boolean
}

/** Separates the parts of a summary, which are one text in other formats. */
export const SUMMARY_BREAK = '\n\n'

/** Reads an item of a request or a response. */
export const readReasoning = (item: JsonObject, field: string, read: Checked): ReasoningItem => {
  const texts = (name: 'summary' | 'content'): readonly string[] =>
    read.listOrNone(item[name], `${field}.${name}`).map((part, i) => {
      const pointer = `${field}.${name}[${i}]`
      return read.text(read.object(part, pointer).text, `${pointer}.text`)
    })
  const summary = texts('summary')
  const content = texts('content')
  const encrypted = read.textIfAny(item.encrypted_content, `${field}.encrypted_content`)
  const chosen = summary.length > 0 ? summary : content
  return {
    text: chosen.length > 0 ? chosen.join(SUMMARY_BREAK) : undefined,
    encrypted: encrypted === '' ? undefined : encrypted,
    leavesContent: summary.length > 0 && content.length > 0,
  }
}

/** The thinking part of an item; undefined if the item is empty. */
export const thoughtOf = (item: ReasoningItem): ThinkingPart | HiddenThinkingPart | undefined => {
  const { text, encrypted } = item
  if (text !== undefined) return { type: 'thinking', text, signature: encrypted }
  return encrypted === undefined ? undefined : { type: 'hiddenThinking', data: encrypted }
}

/** Encodes a thinking part as the fields of an item, without its id. */
export const reasoningFields = (part: ThinkingPart | HiddenThinkingPart): JsonObject =>
  part.type === 'hiddenThinking'
    ? { summary: [], encrypted_content: part.data }
    : {
        summary: [{ type: 'summary_text', text: part.text }],
        ...(part.signature === undefined ? {} : { encrypted_content: part.signature }),
      }
