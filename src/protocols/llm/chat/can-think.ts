import type { Part } from './parts.ts'
import type { ChatRequest } from './request.ts'

/**
 * Whether thinking can be enabled for Claude. Claude refuses it where a tool call is forced, and where earlier tool
 * calls have no thinking blocks that could go back with their results.
 */
export const canThink = (request: ChatRequest): boolean => !isForced(request) && !lacksThoughts(request)

const isForced = ({ tools, toolChoice }: ChatRequest): boolean =>
  tools.length > 0 && (toolChoice === 'required' || typeof toolChoice === 'object')

/** The last assistant turn has tool calls with results, and does not begin with its own thinking. */
const lacksThoughts = ({ turns }: ChatRequest): boolean => {
  const last = turns.findLastIndex(({ role }) => role === 'assistant')
  const callsTools = (turns[last]?.parts ?? []).some(({ type }) => type === 'toolCall')
  if (!callsTools || !turns.slice(last + 1).some(hasResult)) return false
  let first = last
  while (turns[first - 1]?.role === 'assistant') first--
  const begins = turns.slice(first, last + 1).flatMap(({ parts }) => parts)
  return !begins.some(isOwnThought)
}

const hasResult = ({ parts }: { readonly parts: readonly Part[] }): boolean =>
  parts.some(({ type }) => type === 'toolResult')

const isOwnThought = (part: Part): boolean =>
  part.type === 'hiddenThinking' || (part.type === 'thinking' && part.signature !== undefined)
