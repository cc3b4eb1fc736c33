import { hoistInstructions } from '../chat/hoist-instructions.ts'
import type { ChatRequest } from '../chat/request.ts'
import type { Losses } from '../dropped-fields.ts'

/**
 * Leaves messages of the system where they are if the model takes them there: Claude does since Opus 4.8, behind a turn of
 * the user, and at the end or before a turn of its own.
 */
export const hoistSystemTurns = (request: ChatRequest, losses: Losses): ChatRequest => {
  const takesThem = isSinceOpus48(request.model)
  return hoistInstructions(
    request,
    losses,
    (before, after) => takesThem && before?.role === 'user' && (!after || after.role === 'assistant'),
  )
}

/** Names such as `claude-opus-4-8`, `claude-opus-4.8` and `claude-sonnet-5`, whatever follows. */
const isSinceOpus48 = (model: string): boolean => {
  const version = /claude-[a-z]+-(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)/.exec(model)
  if (!version) return false
  const [major, minor] = [Number(version[1]), Number(version[2] ?? 0)]
  return major > 4 || (major === 4 && minor >= 8)
}
