import type { Losses } from '../dropped-fields.ts'
import type { ChatRequest, Turn } from './request.ts'

/**
 * Moves system messages in the middle of a conversation into its instructions, for formats that allow none there. The
 * text stays; its position is a loss.
 *
 * @param keeps Whether a system message may stay where it is, between these turns.
 */
export const hoistInstructions = (
  request: ChatRequest,
  losses: Losses,
  keeps: (before: Turn | undefined, after: Turn | undefined) => boolean = () => false,
): ChatRequest => {
  const { turns } = request
  if (!turns.some(isOfSystem)) return request
  const kept: Turn[] = []
  const instructions = [...request.instructions]
  let before: Turn | undefined = undefined
  let between: Turn[] = []
  const insert = (after: Turn | undefined): void => {
    if (between.length === 0) return
    if (keeps(before, after)) for (const turn of between) kept.push(turn)
    else {
      for (const { parts } of between)
        for (const part of parts) if (part.type === 'text') instructions.push(part)
      losses.drop('messages.system.position')
    }
    between = []
  }
  for (const turn of turns)
    if (isOfSystem(turn)) between.push(turn)
    else {
      insert(turn)
      kept.push(turn)
      before = turn
    }
  insert(undefined)
  return { ...request, instructions, turns: kept }
}

const isOfSystem = ({ role }: Turn): boolean => role === 'system'
