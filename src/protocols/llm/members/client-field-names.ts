import type { ChatFormat } from '../format.ts'

/**
 * What a client calls a field that found no place at its provider. Writers of requests know fields by the names of Chat
 * Completions, for they do not know who wrote the request; its client looks for them by its own.
 *
 * @example
 * clientName('generateContent', 'top_k') // 'generationConfig.topK'
 */
export const clientName = (client: ChatFormat, field: string): string => {
  const own = names[client]
  const exact = own[field]
  if (exact !== undefined) return exact
  const dot = field.indexOf('.')
  const start = dot < 0 ? undefined : own[field.slice(0, dot)]
  return start === undefined ? field : start + field.slice(dot)
}

/** Whole names, or their beginnings up to the first dot. What is called the same, or is not to be had there, is not listed. */
const names: Readonly<Record<ChatFormat, Readonly<Record<string, string>>>> = {
  completions: { 'messages.thinking': 'messages.reasoning_content' },
  messages: {
    'messages.reasoning_content': 'messages.content.thinking',
    parallel_tool_calls: 'tool_choice.disable_parallel_tool_use',
    reasoning: 'thinking',
    'reasoning.effort': 'output_config.effort',
    response_format: 'output_config.format',
    stop: 'stop_sequences',
    user: 'metadata.user_id',
  },
  responses: {
    'messages.content.redacted_thinking': 'input.reasoning',
    'messages.content.thinking': 'input.reasoning',
    'messages.reasoning_content': 'input.reasoning',
    'messages.system.position': 'input.system.position',
    'messages.thinking': 'input.reasoning',
    response_format: 'text.format',
  },
  generateContent: {
    frequency_penalty: 'generationConfig.frequencyPenalty',
    presence_penalty: 'generationConfig.presencePenalty',
    reasoning: 'generationConfig.thinkingConfig',
    response_format: 'generationConfig.responseSchema',
    seed: 'generationConfig.seed',
    service_tier: 'serviceTier',
    stop: 'generationConfig.stopSequences',
    temperature: 'generationConfig.temperature',
    tool_choice: 'toolConfig.functionCallingConfig',
    top_k: 'generationConfig.topK',
    top_p: 'generationConfig.topP',
  },
  // Nobody is asked in another format for its clients.
  converse: {},
}
