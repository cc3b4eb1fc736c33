import type { Finish } from '../chat/reply.ts'

/**
 * Decodes the stop reason (Anthropic Messages API, `StopReason`). If it is unknown, or missing as with some compatible
 * providers, tool calls decide.
 */
export const finishOf = (reason: unknown, hasToolCalls: boolean): Finish => {
  const known = typeof reason === 'string' ? finishes.get(reason) : undefined
  return known ?? (hasToolCalls ? 'toolCalls' : 'stop')
}

/** Encodes the stop reason. It is `tool_use` for a turn with tool calls that stopped: clients depend on it. */
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
