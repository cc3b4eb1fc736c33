import type { JsonObject } from '../../json/json-object.ts'
import type { ProviderRequestLine } from '../chat/codec.ts'
import type { Part, TextPart } from '../chat/parts.ts'
import type { CacheMark } from '../chat/cache-mark.ts'
import type { ChatRequest, Turn } from '../chat/request.ts'
import { Fields } from '../members/fields.ts'
import type { Losses } from '../dropped-fields.ts'
import { cacheMarkOf } from './cache-control.ts'
import { outputShapeOf, reasoningOf } from './decode-output.ts'
import { partsOf, textsOf } from './decode-parts.ts'
import { toolsOf, toolUseOf } from './decode-tools.ts'
import { requestRules } from './rules.ts'

/** Decodes a client's request (Anthropic Messages API, `MessageCreateParams`). */
export const decodeRequest = (body: JsonObject, target: ProviderRequestLine, losses: Losses): ChatRequest => {
  const fields = new Fields(body, '', requestRules)
  const model = target.model ?? fields.neededText('model')
  const instructions = textsOf(fields, 'system', losses)
  const turns = turnsOf(fields, instructions, losses)
  const metadata = fields.fields('metadata')
  metadata?.dropOthers(metadataFields, noFields, 'metadata.', losses)
  fields.dropOthers(requestFields, otherFields, '', losses)
  return {
    model,
    instructions,
    turns: markedAtEnd(turns, cacheMarkOf(fields), losses),
    tools: toolsOf(fields, losses),
    ...toolUseOf(fields),
    maxTokens: fields.number('max_tokens'),
    temperature: fields.number('temperature'),
    topP: fields.number('top_p'),
    topK: fields.number('top_k'),
    stop: fields.texts('stop_sequences'),
    output: outputShapeOf(fields, losses),
    reasoning: reasoningOf(fields, losses),
    user: metadata?.text('user_id'),
    serviceTier: serviceTierOf(fields),
    streaming: target.streaming ?? fields.flag('stream') ?? false,
    // Streams of this format always contain usage.
    includeUsage: true,
  }
}

/** Decodes the messages. Leading system messages are appended to the instructions. */
const turnsOf = (fields: Fields, instructions: TextPart[], losses: Losses): Turn[] => {
  if (!fields.has('messages')) fields.refuse('messages', 'is missing')
  const turns: Turn[] = []
  for (const message of fields.list('messages')) {
    const role = message.neededText('role')
    if (role === 'system' && turns.length === 0) instructions.push(...textsOf(message, 'content', losses))
    else if (role === 'system') turns.push({ role, parts: textsOf(message, 'content', losses) })
    else if (role === 'user' || role === 'assistant') turns.push({ role, parts: partsOf(message, losses) })
    else message.refuse('role', 'must be one of user, assistant, system')
  }
  return turns
}

/** Moves the mark of the whole request to its last block that can have one. */
const markedAtEnd = (turns: Turn[], mark: CacheMark | undefined, losses: Losses): readonly Turn[] => {
  if (!mark) return turns
  for (let t = turns.length - 1; t >= 0; t--) {
    const turn = turns[t] as Turn
    const at = turn.parts.findLastIndex(canBeMarked)
    if (at < 0) continue
    const parts = turn.parts.with(at, { ...(turn.parts[at] as TextPart), cache: mark })
    return turns.with(t, { role: turn.role, parts })
  }
  losses.drop('cache_control')
  return turns
}

const canBeMarked = (part: Part): boolean =>
  part.type === 'text' ? part.text !== '' : markable.has(part.type)

const markable = new Set<Part['type']>(['image', 'file', 'toolCall', 'toolResult'])

const serviceTierOf = (fields: Fields): string | undefined => {
  const tier = fields.text('service_tier')
  return tier === 'standard_only' ? 'default' : tier
}

const requestFields = new Set([
  'model',
  'messages',
  'system',
  'max_tokens',
  'stream',
  'temperature',
  'top_p',
  'top_k',
  'stop_sequences',
  'tools',
  'tool_choice',
  'thinking',
  'output_config',
  'output_format',
  'metadata',
  'service_tier',
  'cache_control',
  // The version of the format, on platforms without a header for it.
  'anthropic_version',
])

const otherFields = new Set([
  'container',
  'context_management',
  'diagnostics',
  'inference_geo',
  'mcp_servers',
  'speed',
  'anthropic_beta',
  'betas',
])

const metadataFields = new Set(['user_id'])
const noFields = new Set<string>()
