import type { Finish } from '../chat/reply.ts'

/**
 * Reads why the model stopped (Anthropic Messages API, `StopReason`). A reason that is not known, or missing as some
 * compatible providers have it, is told from whether tools were asked for.
 */
export const finishOf = (reason: unknown, hasToolCalls: boolean): Finish => {
  const known = typeof reason === 'string' ? finishes.get(reason) : undefined
  return known ?? (hasToolCalls ? 'toolCalls' : 'stop')
}

/** Writes it. A turn that asks for tools says so, whatever its provider called it: clients go by that. */
export const stopReason = (finish: Finish, hasToolCalls: boolean): string =>
  finish === 'stop' && hasToolCalls ? 'tool_use' : reasons[finish]

const finishes = new Map<string, Finish>([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stopSequence'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['tool_use', 'toolCalls'],
  ['pause_turn', 'pause'],
  ['refusal', 'refusal'],
])

const reasons: Record<Finish, string> = {
  stop: 'end_turn',
  stopSequence: 'stop_sequence',
  length: 'max_tokens',
  toolCalls: 'tool_use',
  contentFilter: 'refusal',
  refusal: 'refusal',
  pause: 'pause_turn',
}
