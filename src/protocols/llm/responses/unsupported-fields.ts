import { type JsonObject, jsonObjectIn } from '../../json/json-object.ts'
import { BadRequest } from '../chat/codec.ts'
import type { Losses } from '../dropped-fields.ts'
import { isAbsent } from '../members/typed-fields.ts'

/**
 * Records the fields of a request that the common form does not have. A field with the effect of its default is not a
 * loss.
 *
 * @throws BadRequest for a field that refers to state stored at the provider: without it, the request would have another
 * meaning.
 */
export const dropUnplaced = (body: JsonObject, losses: Losses): void => {
  for (const name in body) {
    const value = body[name]
    if (isAbsent(value) || placed.has(name)) continue
    if (kept.has(name))
      throw new BadRequest(`${name} is not supported here: nothing is kept between requests`)
    if (name === 'background') {
      if (value !== false) throw new BadRequest('background is not supported here')
    } else if (!unplaced.has(name)) losses.drop('unknown')
    else if (!isDefault(name, value)) losses.drop(name)
  }
}

const isDefault = (name: string, value: unknown): boolean => {
  switch (name) {
    case 'store':
      return value === false
    case 'truncation':
      return value === 'disabled'
    case 'include':
      // Encrypted reasoning is always in the reply.
      return Array.isArray(value) && value.every((wanted) => wanted === 'reasoning.encrypted_content')
    case 'metadata':
      return Object.keys(jsonObjectIn(value) ?? { value }).length === 0
    case 'stream_options':
      return jsonObjectIn(value)?.include_obfuscation !== true
    default:
      return false
  }
}

const placed: ReadonlySet<string> = new Set([
  'input',
  'instructions',
  'max_output_tokens',
  'model',
  'parallel_tool_calls',
  'reasoning',
  'safety_identifier',
  'service_tier',
  'stream',
  'temperature',
  'text',
  'tool_choice',
  'tools',
  'top_p',
  'user',
])

const kept: ReadonlySet<string> = new Set(['conversation', 'previous_response_id', 'prompt'])

const unplaced: ReadonlySet<string> = new Set([
  'access_programs',
  'context_management',
  'image',
  'include',
  'max_tool_calls',
  'metadata',
  'moderation',
  'prompt_cache_key',
  'prompt_cache_options',
  'prompt_cache_retention',
  'store',
  'stream_options',
  'top_logprobs',
  'truncation',
])
