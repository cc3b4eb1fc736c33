import { jsonObjectIn, type JsonObject } from '../../json/json-object.ts'
import type { Losses } from '../dropped-fields.ts'
import { supportsCacheBreakpoints } from '../models/openai-models.ts'

/**
 * A request with OpenAI's own members only: OpenAI, Groq and Mistral reply 400 to unknown members of messages and
 * tools. For translated requests; requests of clients of this format are left alone.
 *
 * Cache breakpoints become OpenAI's own for the models that support these.
 */
export const plainRequest = (body: JsonObject, losses: Losses): JsonObject => {
  const plain = { ...body }
  if (typeof body.model === 'string' && supportsCacheBreakpoints(body.model) && Array.isArray(body.messages))
    plain.messages = body.messages.map((message) => withBreakpoints(message, losses))
  if (Array.isArray(plain.messages))
    plain.messages = plain.messages.map((message) => plainOf(message, 'messages', losses))
  if (Array.isArray(body.tools)) plain.tools = body.tools.map((tool) => plainOf(tool, 'tools', losses))
  return plain
}

/** Assistant messages and tool calls cannot have breakpoints. */
const withBreakpoints = (value: unknown, losses: Losses): unknown => {
  const message = jsonObjectIn(value)
  if (!message || message.role === 'assistant' || !Array.isArray(message.content)) return value
  return { ...message, content: message.content.map((part) => withBreakpoint(part, losses)) }
}

const withBreakpoint = (value: unknown, losses: Losses): unknown => {
  const control = jsonObjectIn(jsonObjectIn(value)?.cache_control)
  if (!control) return value
  const { cache_control: _, ...part } = value as JsonObject
  // The TTL is fixed.
  if (control.ttl !== undefined) losses.drop('messages.content.cache_control.ttl')
  return { ...part, prompt_cache_breakpoint: { mode: 'explicit' } }
}

const plainOf = (value: unknown, path: string, losses: Losses): unknown => {
  const object = jsonObjectIn(value)
  if (!object) return value
  const plain: JsonObject = {}
  for (const [name, member] of Object.entries(object))
    if (additions.has(name)) losses.drop(`${path}.${name}`)
    else if (nested.has(name) && Array.isArray(member))
      plain[name] = member.map((one) => plainOf(one, `${path}.${name}`, losses))
    else plain[name] = member
  return plain
}

const additions = new Set([
  'cache_control',
  'reasoning_content',
  'reasoning_signature',
  'reasoning_details',
  'extra_content',
])
const nested = new Set(['content', 'tool_calls'])
