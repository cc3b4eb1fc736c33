import { jsonObjectOr, type JsonObject } from '../../json/json-object.ts'
import type { Losses } from '../dropped-fields.ts'

/** Reports members of a request that the common form cannot express. Default values are no loss. */
export const dropRest = (body: JsonObject, losses: Losses): void => {
  for (const [name, value] of Object.entries(body)) {
    if (value === undefined || value === null || supported.has(name)) continue
    if (!known.has(name)) losses.drop('unknown')
    else if (!isDefault(name, value)) losses.drop(name)
  }
  if (jsonObjectOr(body.stream_options).include_obfuscation === true)
    losses.drop('stream_options.include_obfuscation')
}

const isDefault = (name: string, value: unknown): boolean => {
  if (name === 'n') return value === 1
  if (name === 'modalities') return Array.isArray(value) && value.every((one) => one === 'text')
  return (name === 'logprobs' || name === 'store') && value === false
}

const supported = new Set([
  'model',
  'messages',
  'tools',
  'tool_choice',
  'functions',
  'function_call',
  'parallel_tool_calls',
  'max_completion_tokens',
  'max_tokens',
  'temperature',
  'top_p',
  'top_k',
  'stop',
  'seed',
  'frequency_penalty',
  'presence_penalty',
  'response_format',
  'reasoning_effort',
  'reasoning',
  'user',
  'safety_identifier',
  'service_tier',
  'stream',
  'stream_options',
])

const known = new Set([
  'audio',
  'logit_bias',
  'logprobs',
  'metadata',
  'modalities',
  'moderation',
  'n',
  'prediction',
  'prompt_cache_key',
  'prompt_cache_options',
  'prompt_cache_retention',
  'store',
  'top_logprobs',
  'verbosity',
  'web_search_options',
])
