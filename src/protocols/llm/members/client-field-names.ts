import type { ChatFormat } from '../format.ts'

/**
 * The client's name for a field that its provider does not support. Encoders use the names of Chat Completions, since
 * they do not depend on the client's format.
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

/**
 * Whole names, or their prefixes up to the first dot. Fields with the same name, or without an equivalent, are not
 * listed.
 */
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
  // Requests in this format are not translated.
  converse: {},
}
