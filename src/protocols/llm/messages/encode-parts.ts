import type { JsonObject } from '../../json/json-object.ts'
import { argumentsIn } from '../chat/arguments.ts'
import { BadRequest } from '../chat/codec.ts'
import type { FilePart, ImagePart, Part, TextPart, ToolCallPart, ToolResultPart } from '../chat/parts.ts'
import type { Losses } from '../dropped-fields.ts'
import { cacheControl } from './cache-control.ts'
import { documentSource, imageSource, isImage } from './sources.ts'

/** Encodes the blocks of a turn. Empty texts are omitted, since Anthropic refuses them. */
export const blocksOf = (parts: readonly Part[], losses: Losses): JsonObject[] => {
  const blocks: JsonObject[] = []
  for (const part of parts) {
    const block = blockOf(part, losses)
    if (block) blocks.push(block)
  }
  return blocks
}

/** The shortest form of a content: a string instead of a single text block without other fields. */
export const contentOf = (blocks: readonly JsonObject[]): string | readonly JsonObject[] => {
  const [first] = blocks
  return blocks.length === 1 && first?.type === 'text' && !first.cache_control
    ? (first.text as string)
    : blocks
}

const blockOf = (part: Part, losses: Losses): JsonObject | undefined => {
  switch (part.type) {
    case 'text':
      return part.text === '' ? undefined : { type: 'text', text: part.text, ...cacheControl(part.cache) }
    case 'image':
    case 'file':
      return mediaOf(part, losses)
    case 'refusal':
      // The text is kept; earlier turns cannot be marked as refusals.
      losses.drop('messages.refusal')
      return part.text === '' ? undefined : { type: 'text', text: part.text }
    case 'thinking':
      if (part.signature !== undefined)
        return { type: 'thinking', thinking: part.text, signature: part.signature }
      // Anthropic accepts only its own thinking, which it verifies by the signature.
      losses.drop('messages.thinking')
      return undefined
    case 'hiddenThinking':
      return { type: 'redacted_thinking', data: part.data }
    case 'toolCall':
      return toolUseOf(part, losses)
    case 'toolResult':
      return toolResultOf(part, losses)
    case 'audio':
      losses.drop('messages.audio')
      return undefined
  }
}

const mediaOf = (part: ImagePart | FilePart, losses: Losses): JsonObject => {
  if (part.type === 'image' || isImage(part)) {
    if (part.type === 'image' && part.detail !== undefined && part.detail !== 'auto')
      losses.drop('messages.image.detail')
    return { type: 'image', source: imageSource(part.source, nameOf(part)), ...cacheControl(part.cache) }
  }
  return {
    type: 'document',
    source: documentSource(part),
    ...(part.name !== undefined && { title: part.name }),
    ...cacheControl(part.cache),
  }
}

const nameOf = (part: ImagePart | FilePart): string | undefined =>
  part.type === 'file' ? part.name : undefined

const toolUseOf = (part: ToolCallPart, losses: Losses): JsonObject => {
  const input = argumentsIn(part.arguments)
  if (!input) throw new BadRequest('the arguments of a tool call must be a JSON object')
  if (part.signature !== undefined) losses.drop('messages.tool_calls.signature')
  return {
    type: 'tool_use',
    id: toolId(part.id, losses),
    name: part.name,
    input,
    ...cacheControl(part.cache),
  }
}

const toolResultOf = (part: ToolResultPart, losses: Losses): JsonObject => {
  const content = blocksOf(part.parts satisfies readonly (TextPart | ImagePart | FilePart)[], losses)
  return {
    type: 'tool_result',
    tool_use_id: toolId(part.id, losses),
    ...(content.length > 0 && { content: contentOf(content) }),
    ...(part.isError !== undefined && { is_error: part.isError }),
    ...cacheControl(part.cache),
  }
}

/** Anthropic refuses ids with other characters, which some providers use. A call and its result change alike. */
const toolId = (id: string, losses: Losses): string => {
  if (!strange.test(id)) return id
  losses.drop('messages.tool_calls.id')
  return id.replaceAll(everyStrange, '_')
}

const strange = /[^\w-]/
const everyStrange = /[^\w-]/g
