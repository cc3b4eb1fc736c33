import type { JsonObject } from '../../json/json-object.ts'
import { BadRequest } from '../chat/codec.ts'
import type { FilePart, ImagePart, Part, Source, ToolCallPart, ToolResultPart } from '../chat/parts.ts'
import type { CacheMark } from '../chat/cache-mark.ts'
import type { Turn } from '../chat/request.ts'
import { argumentsIn } from '../chat/arguments.ts'
import type { Losses } from '../dropped-fields.ts'
import { mediaTypeOf } from '../chat/media-types.ts'
import { audioFormatOf, documentFormatOf, imageFormatOf } from './media-formats.ts'

/** Encodes turns as `messages` with alternating roles. */
export const encodeMessages = (turns: readonly Turn[], losses: Losses): readonly JsonObject[] => {
  const writer = new BlockWriter(losses)
  const messages: { readonly role: string; readonly content: JsonObject[] }[] = []
  for (const { role, parts } of turns) {
    const blocks = parts.flatMap((part) => writer.blocks(part))
    if (blocks.length === 0) continue
    const last = messages.at(-1)
    if (last?.role === role) last.content.push(...blocks)
    else messages.push({ role, content: blocks })
  }
  return messages
}

/** Encodes a cache breakpoint as a `cachePoint`. */
export const cachePoint = ({ ttl }: CacheMark): JsonObject => ({
  cachePoint: { type: 'default', ...(ttl === undefined ? {} : { ttl }) },
})

/** A result cannot contain a cache point; it follows the result. */
const markOf = (part: Part): CacheMark | undefined => {
  if ('cache' in part && part.cache) return part.cache
  return part.type === 'toolResult' ? part.parts.findLast(({ cache }) => cache)?.cache : undefined
}

class BlockWriter {
  readonly #losses: Losses
  readonly #documents = new DocumentNames()

  constructor(losses: Losses) {
    this.#losses = losses
  }

  /** The block of a part, followed by its cache point. */
  blocks(part: Part): readonly JsonObject[] {
    const block = this.#block(part)
    if (!block) return []
    const mark = markOf(part)
    return mark ? [block, cachePoint(mark)] : [block]
  }

  #block(part: Part): JsonObject | undefined {
    switch (part.type) {
      case 'text':
      case 'refusal':
        // Bedrock refuses blank texts.
        return part.text.trim() === '' ? undefined : { text: part.text }
      case 'thinking':
        if (part.signature === undefined) return this.#lost('thinking')
        return { reasoningContent: { reasoningText: { text: part.text, signature: part.signature } } }
      case 'hiddenThinking':
        return { reasoningContent: { redactedContent: part.data } }
      case 'image':
        return this.#image(part)
      case 'file':
        return this.#document(part)
      case 'audio':
        return { audio: { format: audioFormatOf(part.format), source: { bytes: part.base64 } } }
      case 'toolCall':
        return this.#call(part)
      case 'toolResult':
        return this.#result(part)
    }
  }

  #image({ source, detail = 'auto' }: ImagePart): JsonObject | undefined {
    if (detail !== 'auto') this.#losses.drop('image.detail')
    const mediaType = mediaTypeOf(source)
    const format = mediaType === undefined ? undefined : imageFormatOf(mediaType)
    const encoded = encodeSource(source)
    return encoded && format !== undefined
      ? { image: { format, source: encoded } }
      : this.#lost('image.source')
  }

  #document({ source, name }: FilePart): JsonObject | undefined {
    const mediaType = mediaTypeOf(source, name)
    const format = mediaType === undefined ? undefined : documentFormatOf(mediaType)
    const encoded = encodeSource(source)
    if (!encoded || format === undefined) return this.#lost('file.source')
    return { document: { format, name: this.#documents.next(name), source: encoded } }
  }

  #call({ id, name, arguments: text, signature }: ToolCallPart): JsonObject {
    if (signature !== undefined) this.#losses.drop('tool_calls.signature')
    const input = argumentsIn(text)
    if (!input) throw new BadRequest(`the arguments of the call ${id} are not a JSON object`)
    return { toolUse: { toolUseId: id, name, input } }
  }

  #result({ id, parts, isError }: ToolResultPart): JsonObject {
    const content = parts.flatMap((part) =>
      // A text may be empty in the common form; Bedrock refuses blank ones.
      part.type === 'text' ? [{ text: part.text === '' ? ' ' : part.text }] : (this.#block(part) ?? []),
    )
    return {
      toolResult: {
        toolUseId: id,
        content: content.length === 0 ? [{ text: ' ' }] : content,
        ...(isError ? { status: 'error' } : {}),
      },
    }
  }

  #lost(field: string): JsonObject | undefined {
    this.#losses.drop(field)
    return undefined
  }
}

/** Bytes, or an object in S3; Bedrock fetches no other URLs. */
const encodeSource = (source: Source): JsonObject | undefined => {
  if ('base64' in source) return { bytes: source.base64 }
  return 'url' in source && source.url.startsWith('s3://') ? { s3Location: { uri: source.url } } : undefined
}

/**
 * Names the documents of a request. Bedrock requires a name for each, of letters, digits, single spaces, hyphens and
 * brackets, and refuses duplicates.
 */
class DocumentNames {
  readonly #used = new Set<string>()
  /** By name, the number of its next copy. */
  readonly #copies = new Map<string, number>()
  #count = 0

  /** @param name The client's name for it. */
  next(name: string | undefined): string {
    this.#count++
    const allowed = name
      ?.replaceAll(/[^\p{L}\p{N}\s()[\]-]/gu, '-')
      .replaceAll(/\s+/g, ' ')
      .slice(0, LONGEST_NAME)
      .trim()
    const candidate = allowed === undefined || allowed === '' ? `document-${this.#count}` : allowed
    const key = candidate.toLowerCase()
    let free = candidate
    while (this.#used.has(free.toLowerCase())) {
      const copy = this.#copies.get(key) ?? 2
      this.#copies.set(key, copy + 1)
      free = `${candidate} (${copy})`
    }
    this.#used.add(free.toLowerCase())
    return free
  }
}

/** Bedrock allows 200 characters, of which a suffix may need some. */
const LONGEST_NAME = 180
