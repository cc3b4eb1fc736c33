import type { Finish } from '../chat/reply.ts'

/** Why the model stopped (`StopReason`); unknown reasons mean `stop`. */
export const finishOf = (reason: string): Finish => finishes.get(reason) ?? 'stop'

/** The `StopReason` for a client. */
export const stopReasonOf = (finish: Finish): string => reasons[finish]

const finishes = new Map<string, Finish>([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stopSequence'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['tool_use', 'toolCalls'],
  ['content_filtered', 'contentFilter'],
  ['guardrail_intervened', 'contentFilter'],
  // Bedrock could not parse the output, and withholds it.
  ['malformed_model_output', 'contentFilter'],
  ['malformed_tool_use', 'contentFilter'],
])

const reasons = {
  stop: 'end_turn',
  pause: 'end_turn',
  stopSequence: 'stop_sequence',
  length: 'max_tokens',
  toolCalls: 'tool_use',
  contentFilter: 'content_filtered',
  refusal: 'content_filtered',
} as const satisfies Record<Finish, string>
