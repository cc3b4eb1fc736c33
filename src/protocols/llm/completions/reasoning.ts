import { type JsonObject, jsonObjectIn } from '../../json/json-object.ts'
import type { HiddenThinkingPart, Part, ThinkingPart } from '../chat/parts.ts'
import type { Reasoning, ReasoningEffort } from '../chat/request.ts'
import type { Checked } from '../members/typed-fields.ts'

/** The reasoning effort: the requested one, or the one with the nearest budget. */
export const effortOf = (reasoning: Reasoning): ReasoningEffort | undefined => {
  const { effort, budgetTokens, adaptive } = reasoning
  if (effort) return effort
  if (budgetTokens !== undefined) return nearest(budgetTokens)
  return adaptive ? 'high' : undefined
}

/** The token budget of each effort. */
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

/** A thinking part of a reply. */
export type Thought = ThinkingPart | HiddenThinkingPart

/**
 * The thinking of a message. OpenAI does not return any in this format; others add `reasoning_content` (DeepSeek,
 * vLLM), `reasoning` (OpenRouter, Groq), `reasoning_signature` (gateways before Bedrock), and `reasoning_details`
 * (OpenRouter), which alone has encrypted thinking and several signatures.
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
  // A signature without text belongs to the text in the other member.
  if (first?.type === 'thinking') return [{ ...first, text }, ...rest]
  return [{ type: 'thinking', text }, ...details]
}

/** The signature of all readable thinking. */
export const signatureOfThoughts = (message: JsonObject, at: string, read: Checked): string | undefined => {
  const signature = read.textIfAny(message.reasoning_signature, `${at}.reasoning_signature`)
  return signature === '' ? undefined : signature
}

/** Whether thinking is signed by its provider. */
export const isSigned = (thought: Thought): boolean =>
  thought.type === 'thinking' && thought.signature !== undefined && thought.signature !== ''

/** The readable thinking of a message or a delta. */
export const readableThoughts = (message: JsonObject, at: string, read: Checked): string | undefined =>
  read.textIfAny(message.reasoning_content, `${at}.reasoning_content`) ??
  read.textIfAny(message.reasoning, `${at}.reasoning`)

/** The supported elements of `reasoning_details`. */
export const thoughtsOfDetails = (details: unknown): readonly Thought[] =>
  Array.isArray(details) ? details.flatMap((detail) => thoughtOfDetail(jsonObjectIn(detail)) ?? []) : []

/** The members of a message for its thinking. Details only where they have more than the text. */
export const thoughtMembers = (parts: readonly Part[]): JsonObject => {
  const thoughts = parts.filter((part) => part.type === 'thinking' || part.type === 'hiddenThinking')
  const text = thoughts.map((thought) => (thought.type === 'thinking' ? thought.text : '')).join('')
  const detailed = thoughts.some((one) => one.type === 'hiddenThinking' || one.signature)
  // It signs the whole text, so it can only be written for a single thinking part.
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
