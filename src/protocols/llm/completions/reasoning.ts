import { type JsonObject, jsonObjectIn } from '../../json/json-object.ts'
import type { HiddenThinkingPart, Part, ThinkingPart } from '../chat/parts.ts'
import type { Reasoning, ReasoningEffort } from '../chat/request.ts'
import type { Checked } from '../members/typed-fields.ts'

/** How much to think, as an effort: the one said, or the one whose budget is nearest. */
export const effortOf = (reasoning: Reasoning): ReasoningEffort | undefined => {
  const { effort, budgetTokens, adaptive } = reasoning
  if (effort) return effort
  if (budgetTokens !== undefined) return nearest(budgetTokens)
  return adaptive ? 'high' : undefined
}

/** What each effort is worth in tokens. */
const budgets = [
  ['low', 1024],
  ['medium', 2048],
  ['high', 4096],
  ['xhigh', 8192],
  ['max', 16_384],
] as const

const nearest = (tokens: number): ReasoningEffort => {
  if (tokens <= 0) return 'none'
  let best: (typeof budgets)[number] = budgets[0]
  for (const one of budgets) if (Math.abs(one[1] - tokens) < Math.abs(best[1] - tokens)) best = one
  return best[0]
}

/** What a model thought. */
export type Thought = ThinkingPart | HiddenThinkingPart

/**
 * The thoughts of a message. OpenAI does not show any in this format; others add `reasoning_content` (DeepSeek, vLLM),
 * `reasoning` (OpenRouter, Groq), `reasoning_signature` (gateways before Bedrock), and `reasoning_details` (OpenRouter),
 * which alone has what is encrypted, and several signatures.
 */
export const thoughtsIn = (message: JsonObject, at: string, read: Checked): readonly Thought[] => {
  const text = readableThoughts(message, at, read) ?? ''
  const details = thoughtsOfDetails(message.reasoning_details)
  const signature = signatureOfThoughts(message, at, read)
  if (signature !== undefined && !details.some(isSigned)) {
    const readable = details.map((one) => (one.type === 'thinking' ? one.text : '')).join('')
    const hidden = details.filter(({ type }) => type === 'hiddenThinking')
    return [{ type: 'thinking', text: text === '' ? readable : text, signature }, ...hidden]
  }
  const detailed = details.some((one) => one.type === 'thinking' && one.text !== '')
  if (detailed || text === '') return details
  const [first, ...rest] = details
  // A signature that came without its text belongs to the text beside it.
  if (first?.type === 'thinking') return [{ ...first, text }, ...rest]
  return [{ type: 'thinking', text }, ...details]
}

/** The signature of all that may be read of the thoughts. */
export const signatureOfThoughts = (message: JsonObject, at: string, read: Checked): string | undefined => {
  const signature = read.textIfAny(message.reasoning_signature, `${at}.reasoning_signature`)
  return signature === '' ? undefined : signature
}

/** Whether a thought is one that its provider knows again. */
export const isSigned = (thought: Thought): boolean =>
  thought.type === 'thinking' && thought.signature !== undefined && thought.signature !== ''

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
  // It signs the whole text, so that it can only be written where there is one thought.
  const [only, ...more] = thoughts.filter((one) => one.type === 'thinking')
  const signature = more.length === 0 ? only?.signature : undefined
  return {
    ...(text === '' ? {} : { reasoning_content: text }),
    ...(signature ? { reasoning_signature: signature } : {}),
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
