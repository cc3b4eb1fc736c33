import type { JsonObject } from '../../json/json-object.ts'
import { BadRequest } from '../chat/codec.ts'
import type { FilePart, ImagePart, Part, ToolCallPart, ToolResultPart } from '../chat/parts.ts'
import type { ChatRequest, Turn } from '../chat/request.ts'
import type { Losses } from '../dropped-fields.ts'
import { argumentsIn } from '../chat/arguments.ts'
import { mediaTypeOf } from '../chat/media-types.ts'
import { audioTypeOf } from './media-types.ts'
import { isBeforeGemini3 } from './thinking.ts'

/** Encodes turns as `contents` with alternating roles. */
export const encodeContents = ({ turns, model }: ChatRequest, losses: Losses): readonly JsonObject[] => {
  const writer = new ContentsWriter(!isBeforeGemini3(model), losses)
  for (const { role, parts } of turns) for (const part of parts) writer.add(role, part)
  return writer.contents
}

class ContentsWriter {
  readonly contents: { readonly role: 'user' | 'model'; readonly parts: JsonObject[] }[] = []
  readonly #hasGemini3: boolean
  readonly #losses: Losses
  /** By the id of the call: results require the name. */
  readonly #names = new Map<string, string>()

  constructor(hasGemini3: boolean, losses: Losses) {
    this.#hasGemini3 = hasGemini3
    this.#losses = losses
  }

  add(role: Turn['role'], part: Part): void {
    const marked = part.type === 'toolResult' ? [part, ...part.parts] : [part]
    if (marked.some((one) => 'cache' in one && one.cache)) this.#losses.drop('cache_control')
    const encoded = this.#encode(part)
    if (encoded.length === 0) return
    const contentRole = role === 'assistant' ? 'model' : 'user'
    let last = this.contents.at(-1)
    if (last?.role !== contentRole) {
      last = { role: contentRole, parts: [] }
      this.contents.push(last)
    }
    // The first call of a turn must be signed. For a call of another model, or through a format without signatures,
    // this value replaces it.
    const isFirstCall = part.type === 'toolCall' && !last.parts.some((one) => one.functionCall !== undefined)
    if (isFirstCall && this.#hasGemini3 && part.signature === undefined)
      for (const one of encoded) one.thoughtSignature = UNSIGNED
    last.parts.push(...encoded)
  }

  #encode(part: Part): readonly JsonObject[] {
    switch (part.type) {
      case 'text':
      case 'refusal':
        return part.text === '' ? [] : [{ text: part.text }]
      case 'thinking':
        return [{ text: part.text, thought: true, ...signed(part.signature) }]
      case 'hiddenThinking':
        return this.#lost('redacted_thinking')
      case 'image':
      case 'file':
        return this.#media(part)
      case 'audio':
        return [{ inlineData: { mimeType: audioTypeOf(part.format), data: part.base64 } }]
      case 'toolCall':
        return [this.#call(part)]
      case 'toolResult':
        return this.#functionResponse(part)
    }
  }

  #media(part: ImagePart | FilePart): readonly JsonObject[] {
    const { source } = part
    if (part.type === 'image' && (part.detail ?? 'auto') !== 'auto') this.#losses.drop('image.detail')
    if ('fileId' in source) return this.#lost(`${part.type}.file_id`)
    const mimeType = mediaTypeOf(source, 'name' in part ? part.name : undefined)
    if ('base64' in source)
      return [{ inlineData: { mimeType: mimeType ?? source.mediaType, data: source.base64 } }]
    return [{ fileData: { fileUri: source.url, ...(mimeType === undefined ? {} : { mimeType }) } }]
  }

  #call({ id, name, arguments: text, signature }: ToolCallPart): JsonObject {
    const args = argumentsIn(text)
    if (!args) throw new BadRequest(`the arguments of the call ${id} are not a JSON object`)
    this.#names.set(id, name)
    return { functionCall: { id, name, args }, ...signed(signature) }
  }

  #functionResponse({
    id,
    name = this.#names.get(id),
    parts,
    isError,
  }: ToolResultPart): readonly JsonObject[] {
    if (name === undefined) throw new BadRequest(`there is no call ${id} before its result`)
    const text = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
    const media = parts.flatMap((part) => (part.type === 'text' ? [] : this.#media(part)))
    const functionResponse: JsonObject = { id, name, response: isError ? { error: text } : { output: text } }
    if (media.length === 0) return [{ functionResponse }]
    return this.#hasGemini3
      ? [{ functionResponse: { ...functionResponse, parts: media } }]
      : [{ functionResponse }, ...media]
  }

  #lost(field: string): readonly JsonObject[] {
    this.#losses.drop(field)
    return []
  }
}

const signed = (thoughtSignature: string | undefined): JsonObject =>
  thoughtSignature === undefined ? {} : { thoughtSignature }

/** Google's documented value for a call whose signature is not to be checked; it is valid base64. */
const UNSIGNED = 'skip_thought_signature_validator'
