import { hoistInstructions } from '../chat/hoist-instructions.ts'
import type { ChatRequest } from '../chat/request.ts'
import type { Losses } from '../dropped-fields.ts'

/**
 * Moves system messages into the instructions unless the model accepts them in place. Claude does since Opus 4.8, after
 * a user turn, at the end or before an assistant turn.
 */
export const hoistSystemTurns = (request: ChatRequest, losses: Losses): ChatRequest => {
  const takesThem = isSinceOpus48(request.model)
  return hoistInstructions(
    request,
    losses,
    (before, after) => takesThem && before?.role === 'user' && (!after || after.role === 'assistant'),
  )
}

/** Matches names such as `claude-opus-4-8`, `claude-opus-4.8` and `claude-sonnet-5`, with any suffix. */
const isSinceOpus48 = (model: string): boolean => {
  const version = /claude-[a-z]+-(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)/.exec(model)
  if (!version) return false
  const [major, minor] = [Number(version[1]), Number(version[2] ?? 0)]
  return major > 4 || (major === 4 && minor >= 8)
}
