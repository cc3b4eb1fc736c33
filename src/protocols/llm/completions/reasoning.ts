import { jsonObjectIn, type JsonObject } from '../../json/json-object.ts'
import type { HiddenThinkingPart, Part, ThinkingPart } from '../chat/parts.ts'
import type { Checked } from '../checked.ts'

/** What a model thought. */
export type Thought = ThinkingPart | HiddenThinkingPart

/**
 * The thoughts of a message. OpenAI does not show any in this format; others add `reasoning_content` (DeepSeek, vLLM),
 * `reasoning` (OpenRouter, Groq), and `reasoning_details` (OpenRouter), which alone has signatures and what is encrypted.
 */
export const thoughtsIn = (message: JsonObject, at: string, read: Checked): readonly Thought[] => {
  const text = readableThoughts(message, at, read) ?? ''
  const details = thoughtsOfDetails(message.reasoning_details)
  const detailed = details.some((one) => one.type === 'thinking' && one.text !== '')
  if (detailed || text === '') return details
  const [first, ...rest] = details
  // A signature that came without its text belongs to the text beside it.
  if (first?.type === 'thinking') return [{ ...first, text }, ...rest]
  return [{ type: 'thinking', text }, ...details]
}

/** What may be read of the thoughts, whole or a piece. */
export const readableThoughts = (message: JsonObject, at: string, read: Checked): string | undefined =>
  read.textIfAny(message.reasoning_content, `${at}.reasoning_content`) ??
  read.textIfAny(message.reasoning, `${at}.reasoning`)

/** The elements of `reasoning_details` that are understood. */
export const thoughtsOfDetails = (details: unknown): readonly Thought[] =>
  Array.isArray(details) ? details.flatMap((detail) => thoughtOfDetail(jsonObjectIn(detail)) ?? []) : []

/** The members that hold thoughts in a message. Details only where they say more than the text. */
export const thoughtMembers = (parts: readonly Part[]): JsonObject => {
  const thoughts = parts.filter((part) => part.type === 'thinking' || part.type === 'hiddenThinking')
  const text = thoughts.map((thought) => (thought.type === 'thinking' ? thought.text : '')).join('')
  const detailed = thoughts.some((one) => one.type === 'hiddenThinking' || one.signature)
  return {
    ...(text === '' ? {} : { reasoning_content: text }),
    ...(detailed ? { reasoning_details: thoughts.map(detailOf) } : {}),
  }
}

/** An element of `reasoning_details`. */
export const detailOf = (thought: Thought, index: number): JsonObject =>
  thought.type === 'hiddenThinking'
    ? { type: 'reasoning.encrypted', data: thought.data, index }
    : { type: 'reasoning.text', text: thought.text, signature: thought.signature, index }

const thoughtOfDetail = (detail: JsonObject | undefined): Thought | undefined => {
  if (detail?.type === 'reasoning.encrypted')
    return typeof detail.data === 'string' ? { type: 'hiddenThinking', data: detail.data } : undefined
  const text = detail?.type === 'reasoning.summary' ? detail.summary : detail?.text
  const signature = detail?.signature
  if (typeof signature === 'string' && signature !== '')
    return { type: 'thinking', text: typeof text === 'string' ? text : '', signature }
  return typeof text === 'string' && text !== '' ? { type: 'thinking', text } : undefined
}
