import type { Finish } from '../chat/reply.ts'

/** The properties of a turn that, besides its finish reason, decide what the reason means. */
export interface TextBeforeFinish {
  readonly toolCalls: boolean
  readonly refusal: boolean
}

/**
 * Why the model stopped (OpenAI Chat Completions, `finish_reason`). Some providers deviate: tool calls may end with
 * `stop`, and values of other formats occur. Unknown values mean `stop`.
 */
export const finishFrom = (reason: string | undefined, seen: TextBeforeFinish): Finish => {
  const finish = (reason === undefined ? undefined : finishes.get(reason)) ?? 'stop'
  if (finish !== 'stop') return finish === 'toolCalls' && !seen.toolCalls ? 'stop' : finish
  if (seen.toolCalls) return 'toolCalls'
  return seen.refusal ? 'refusal' : 'stop'
}

/** The `finish_reason`. A refusal with a message of its own is `stop`; one without is `content_filter`. */
export const finishReasonOf = (finish: Finish, seen: TextBeforeFinish): string =>
  finish === 'refusal' && seen.refusal ? 'stop' : reasons[finish]

const finishes = new Map<string, Finish>([
  ['stop', 'stop'],
  ['length', 'length'],
  ['tool_calls', 'toolCalls'],
  ['function_call', 'toolCalls'],
  ['content_filter', 'contentFilter'],
  ['max_tokens', 'length'],
  ['model_length', 'length'],
  ['tool_use', 'toolCalls'],
  ['stop_sequence', 'stopSequence'],
  ['refusal', 'refusal'],
])

const reasons: Readonly<Record<Finish, string>> = {
  stop: 'stop',
  stopSequence: 'stop',
  pause: 'stop',
  length: 'length',
  toolCalls: 'tool_calls',
  contentFilter: 'content_filter',
  refusal: 'content_filter',
}
