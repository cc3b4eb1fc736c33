import type { FilePart, ImagePart, Part, TextPart, ToolResultPart } from '../chat/parts.ts'
import type { Fields } from '../members/fields.ts'
import type { Losses } from '../dropped-fields.ts'
import { cacheMarkOf } from './cache-control.ts'
import { contentLoss } from './decode-reply.ts'
import { plainText, messageSourceOf } from './sources.ts'

/**
 * Decodes the content of a message, a text or blocks (Anthropic Messages API, `ContentBlockParam`). The common form has
 * no blocks of Anthropic's own tools; they are losses, named by their type.
 */
export const partsOf = (message: Fields, losses: Losses): Part[] => {
  const text = textContent(message)
  if (text) return text
  const parts: Part[] = []
  for (const block of message.list('content')) parts.push(...partsOfBlock(block, losses))
  return parts
}

/** Decodes a text, or blocks that must be texts. */
export const textsOf = (holder: Fields, name: string, losses: Losses): TextPart[] => {
  const value = holder.any(name)
  if (value === undefined) return []
  if (typeof value === 'string') return [{ type: 'text', text: value }]
  return holder.list(name).map((block) => {
    if (block.neededText('type') !== 'text') return block.refuse('type', 'must be "text"')
    return textOf(block, losses)
  })
}

/** The part of a content that is a string; undefined if it consists of blocks. */
const textContent = (message: Fields): TextPart[] | undefined => {
  const content = message.any('content')
  if (content === undefined) return message.refuse('content', 'is missing')
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  if (!Array.isArray(content)) return message.refuse('content', 'must be a text or a list of blocks')
  return undefined
}

const partsOfBlock = (block: Fields, losses: Losses): readonly Part[] => {
  const type = block.neededText('type')
  switch (type) {
    case 'thinking': {
      const signature = block.text('signature')
      const part: Part = { type: 'thinking', text: block.neededText('thinking') }
      // A gateway writes an empty signature for thinking of other providers.
      return [signature === undefined || signature === '' ? part : { ...part, signature }]
    }
    case 'redacted_thinking':
      return [{ type: 'hiddenThinking', data: block.neededText('data') }]
    case 'tool_use':
      return [toolCallOf(block, losses)]
    case 'tool_result':
      return [toolResultOf(block, losses)]
    default:
      return plainPartsOf(block, type, losses)
  }
}

/** Decodes blocks that tool results may contain too. */
const plainPartsOf = (
  block: Fields,
  type: string,
  losses: Losses,
): readonly (TextPart | ImagePart | FilePart)[] => {
  switch (type) {
    case 'text':
      return [textOf(block, losses)]
    case 'image':
      return [imageOf(block, losses)]
    case 'document':
      return documentOf(block, losses)
    case 'search_result':
      // Only the text is kept; the common form has no title, source and citations.
      losses.drop('messages.content.search_result')
      return textsOf(block, 'content', losses)
    case 'tool_reference':
      // The result of a tool search. Without a text, the model would regard the search as failed.
      losses.drop('messages.content.tool_reference')
      return [{ type: 'text', text: block.neededText('tool_name') }]
    default:
      losses.drop(`messages.${contentLoss(type)}`)
      return []
  }
}

const textOf = (block: Fields, losses: Losses): TextPart => {
  const cache = cacheMarkOf(block)
  block.dropOthers(textFields, otherFields, blockPrefix, losses)
  const text = block.neededText('text')
  return cache ? { type: 'text', text, cache } : { type: 'text', text }
}

const imageOf = (block: Fields, losses: Losses): ImagePart => {
  const source = messageSourceOf(block.neededFields('source'))
  if (!source) return block.refuse('source.type', 'must be one of base64, url, file')
  const cache = cacheMarkOf(block)
  block.dropOthers(imageFields, otherFields, blockPrefix, losses)
  return { type: 'image', source, ...(cache && { cache }) }
}

const documentOf = (block: Fields, losses: Losses): readonly (TextPart | ImagePart | FilePart)[] => {
  const given = block.neededFields('source')
  const name = block.text('title')
  const cache = cacheMarkOf(block)
  block.dropOthers(documentFields, otherFields, blockPrefix, losses)
  const content = given.any('content')
  const source = messageSourceOf(given) ?? (typeof content === 'string' ? plainText(content) : undefined)
  if (source) return [{ type: 'file', source, ...(name !== undefined && { name }), ...(cache && { cache }) }]
  // A document of blocks becomes those blocks; their grouping is lost.
  losses.drop('messages.content.source')
  const parts = given.list('content').flatMap((item) => plainPartsOf(item, item.neededText('type'), losses))
  return markLast(parts, cache)
}

const toolCallOf = (block: Fields, losses: Losses): Part => {
  const cache = cacheMarkOf(block)
  const caller = block.fields('caller')
  if (caller && caller.text('type') !== 'direct') losses.drop('messages.content.caller')
  block.dropOthers(toolUseFields, otherFields, blockPrefix, losses)
  return {
    type: 'toolCall',
    id: block.neededText('id'),
    name: block.neededText('name'),
    arguments: JSON.stringify(block.neededFields('input').object),
    ...(cache && { cache }),
  }
}

const toolResultOf = (block: Fields, losses: Losses): ToolResultPart => {
  const cache = cacheMarkOf(block)
  const isError = block.flag('is_error')
  block.dropOthers(toolResultFields, otherFields, blockPrefix, losses)
  const parts = !block.has('content')
    ? []
    : (textContent(block) ??
      block.list('content').flatMap((item) => plainPartsOf(item, item.neededText('type'), losses)))
  return {
    type: 'toolResult',
    id: block.neededText('tool_use_id'),
    parts,
    ...(isError !== undefined && { isError }),
    ...(cache && { cache }),
  }
}

const markLast = <P extends TextPart | ImagePart | FilePart>(
  parts: readonly P[],
  cache: FilePart['cache'],
): readonly P[] =>
  cache ? parts.map((part, i) => (i === parts.length - 1 ? { ...part, cache } : part)) : parts

const blockPrefix = 'messages.content.'

const textFields = new Set(['type', 'text', 'cache_control'])
const imageFields = new Set(['type', 'source', 'cache_control'])
const documentFields = new Set(['type', 'source', 'title', 'cache_control'])
const toolUseFields = new Set(['type', 'id', 'name', 'input', 'caller', 'cache_control'])
const toolResultFields = new Set(['type', 'tool_use_id', 'content', 'is_error', 'cache_control'])

/** Unsupported fields of blocks whose names may be recorded. */
const otherFields = new Set(['citations', 'context', 'transformations', 'toolset_name'])
