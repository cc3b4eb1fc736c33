import { jsonObjectIn, type JsonObject } from '../../json/json-object.ts'
import type { Losses } from '../losses.ts'

/**
 * A request as OpenAI itself has specified it, without what others have added: there are providers (OpenAI, Groq,
 * Mistral) that answer 400 to members of messages and tools that they do not know. For requests that were translated;
 * what a client of this format has written is its own affair.
 */
export const plainRequest = (body: JsonObject, losses: Losses): JsonObject => {
  const plain = { ...body }
  if (Array.isArray(body.messages))
    plain.messages = body.messages.map((message) => plainOf(message, 'messages', losses))
  if (Array.isArray(body.tools)) plain.tools = body.tools.map((tool) => plainOf(tool, 'tools', losses))
  return plain
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

const additions = new Set(['cache_control', 'reasoning_content', 'reasoning_details', 'extra_content'])
const nested = new Set(['content', 'tool_calls'])
