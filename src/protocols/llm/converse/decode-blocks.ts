import type { CacheMark } from '../chat/cache-mark.ts'
import type {
  FilePart,
  ImagePart,
  Part,
  Source,
  TextPart,
  ToolCallPart,
  ToolResultPart,
} from '../chat/parts.ts'
import type { Fields } from '../members/fields.ts'
import type { Losses } from '../dropped-fields.ts'
import { knownFields } from './known-fields.ts'
import { documentTypeOf } from './media-formats.ts'

/** The parts of a list of `ContentBlock`s; a cache point applies to the part before it. */
export const decodeBlocks = (blocks: readonly Fields[], losses: Losses): readonly Part[] => {
  const parts: Part[] = []
  for (const block of blocks) {
    const point = block.fields('cachePoint')
    if (point) {
      if (!markLast(parts, cacheMarkIn(point))) losses.drop('messages.content.cachePoint')
      continue
    }
    const part = decodeBlock(block, losses)
    if (part) parts.push(part)
  }
  return parts
}

/** Decodes a `CachePointBlock`. */
export const cacheMarkIn = (point: Fields): CacheMark => ({ ttl: point.text('ttl') })

/** Sets a cache breakpoint on the last part; false if that part cannot have one. */
const markLast = (parts: Part[], cache: CacheMark): boolean => {
  const last = parts.at(-1)
  if (!last || unmarkable.has(last.type)) return false
  parts[parts.length - 1] = { ...last, cache } as Part
  return true
}

const decodeBlock = (block: Fields, losses: Losses): Part | undefined => {
  const text = block.text('text')
  if (text !== undefined) return { type: 'text', text }
  const media = decodeMedia(block, losses)
  if (media) return media
  const audio = block.fields('audio')
  const sound = audio?.neededFields('source').text('bytes')
  if (audio && sound !== undefined)
    return { type: 'audio', base64: sound, format: audio.neededText('format') }
  const use = block.fields('toolUse')
  if (use) return decodeToolUse(use)
  const result = block.fields('toolResult')
  if (result) return decodeResult(result, losses)
  const reasoning = block.fields('reasoningContent')
  if (reasoning) return decodeReasoningBlock(reasoning)
  const cited = block.fields('citationsContent')
  if (cited) {
    losses.drop('messages.content.citationsContent')
    return citedText(cited)
  }
  if (Object.keys(block.object).length === 0)
    block.refuse('text', 'is missing, and so is any other kind of block')
  block.dropOthers(none, knownFields.block, 'messages.content.', losses)
  return undefined
}

const decodeResult = (result: Fields, losses: Losses): ToolResultPart => {
  const parts: (TextPart | ImagePart | FilePart)[] = []
  for (const item of result.list('content')) {
    const text = item.text('text')
    const part = text === undefined ? decodeMedia(item, losses) : ({ type: 'text', text } as const)
    if (part) parts.push(part)
    else if (item.has('json')) parts.push({ type: 'text', text: JSON.stringify(item.any('json')) })
    else losses.drop('messages.content.toolResult.content')
  }
  return {
    type: 'toolResult',
    id: result.neededText('toolUseId'),
    parts,
    isError: result.text('status') === 'error' ? true : undefined,
  }
}

/** Decodes a `ToolUseBlock`. */
export const decodeToolUse = (use: Fields): ToolCallPart => ({
  type: 'toolCall',
  id: use.neededText('toolUseId'),
  name: use.neededText('name'),
  arguments: JSON.stringify(use.json('input') ?? {}),
})

/** The text of a `CitationsContentBlock`, without its sources. */
export const citedText = (cited: Fields): TextPart => ({
  type: 'text',
  text: cited
    .list('content')
    .map((one) => one.text('text') ?? '')
    .join(''),
})

/** Decodes a `ReasoningContentBlock`; undefined for unknown kinds. */
export const decodeReasoningBlock = (reasoning: Fields): Part | undefined => {
  const text = reasoning.fields('reasoningText')
  if (text) return { type: 'thinking', text: text.text('text') ?? '', signature: text.text('signature') }
  const data = reasoning.text('redactedContent')
  return data === undefined ? undefined : { type: 'hiddenThinking', data }
}

const decodeMedia = (block: Fields, losses: Losses): ImagePart | FilePart | undefined => {
  const image = block.fields('image')
  if (image) {
    const source = sourceIn(image.neededFields('source'), `image/${image.neededText('format')}`)
    return source && { type: 'image', source }
  }
  const document = block.fields('document')
  if (!document) return undefined
  if (document.has('context')) losses.drop('messages.content.document.context')
  if (document.has('citations')) losses.drop('messages.content.document.citations')
  const source = sourceIn(document.neededFields('source'), documentTypeOf(document.text('format') ?? 'txt'))
  return source && { type: 'file', source, name: document.text('name') }
}

const sourceIn = (source: Fields, mediaType: string): Source | undefined => {
  const bytes = source.text('bytes')
  if (bytes !== undefined) return { base64: bytes, mediaType }
  const text = source.text('text')
  if (text !== undefined) return { base64: Buffer.from(text).toString('base64'), mediaType: 'text/plain' }
  const stored = source.fields('s3Location')
  return stored && { url: stored.neededText('uri'), mediaType }
}

const none: ReadonlySet<string> = new Set()
const unmarkable: ReadonlySet<Part['type']> = new Set(['audio', 'refusal', 'thinking', 'hiddenThinking'])
