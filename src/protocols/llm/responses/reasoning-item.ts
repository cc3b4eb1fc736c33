import type { JsonObject } from '../../json/json-object.ts'
import type { HiddenThinkingPart, ThinkingPart } from '../chat/parts.ts'
import type { Checked } from '../members/typed-fields.ts'

/**
 * What a `reasoning` item says, and what can only be read by its provider.
 *
 * An item with a summary, be it an empty text, is a thought that `encrypted_content` signs; without one it is hidden. The
 * difference matters to providers that sign the text of a thought.
 */
export interface ReasoningItem {
  /** Undefined if the item has neither summary nor content. */
  readonly text: string | undefined
  readonly encrypted: string | undefined
  /** There is a full text beside the summary, and it is not in `text`. */
  readonly leavesContent: boolean
}

/** Between two parts of a summary, of which others have but one. */
export const SUMMARY_BREAK = '\n\n'

/** Reads an item of a request or an answer. */
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

/** The thought that an item holds; undefined if it holds none. */
export const thoughtOf = (item: ReasoningItem): ThinkingPart | HiddenThinkingPart | undefined => {
  const { text, encrypted } = item
  if (text !== undefined) return { type: 'thinking', text, signature: encrypted }
  return encrypted === undefined ? undefined : { type: 'hiddenThinking', data: encrypted }
}

/** The fields of an item that holds a thought, without its id. */
export const reasoningFields = (part: ThinkingPart | HiddenThinkingPart): JsonObject =>
  part.type === 'hiddenThinking'
    ? { summary: [], encrypted_content: part.data }
    : {
        summary: [{ type: 'summary_text', text: part.text }],
        ...(part.signature === undefined ? {} : { encrypted_content: part.signature }),
      }
