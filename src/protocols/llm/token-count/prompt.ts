import type { JsonObject } from '../../json/json-object.ts'
import { listIn } from '../../json/typed-values.ts'
import type { ProviderRequestLine } from '../chat/codec.ts'
import type { Part } from '../chat/parts.ts'
import type { ChatRequest } from '../chat/request.ts'
import { codecs } from '../codecs.ts'
import { type Format, isChatFormat } from '../format.ts'
import { decodeTokenCount as decodeGeminiTokenCount } from '../generate-content/token-count.ts'
import { Losses } from '../dropped-fields.ts'
import { decodeTokenCount } from '../messages/token-count.ts'

/** The parts of a request that a model reads, as far as their tokens can be counted here. */
export interface Prompt {
  readonly texts: readonly string[]
  /** For content other than text. */
  readonly moreTokens: number
}

/**
 * Extracts the content that a model reads from a request.
 *
 * @throws BadRequest for a request that is not valid.
 */
export const promptOf = (format: Format, body: JsonObject, target: ProviderRequestLine): Prompt => {
  if (format === 'embeddings') return promptOfInput(body.input)
  if (format === 'rerank') return promptOfInput([body.query, ...listIn(body.documents)])
  if (isChatFormat(format)) return promptOfChat(codecs[format].decodeRequest(body, target, new Losses()))
  const decode = format === 'anthropicTokenCount' ? decodeTokenCount : decodeGeminiTokenCount
  return promptOfChat(decode(body, target, new Losses()))
}

/** Tokens that OpenAI's models use to frame a message, and the reply ("How to count tokens with tiktoken"). */
const MESSAGE_TOKENS = 3
/** The byte size of images, files and audio is no measure. A megapixel image has this many tokens for GPT-4o. */
const MEDIUM_TOKENS = 765

const promptOfChat = ({ instructions, turns, tools, output }: ChatRequest): Prompt => {
  const texts = instructions.map(({ text }) => text)
  let moreTokens = MESSAGE_TOKENS * (turns.length + (texts.length > 0 ? 2 : 1))
  const take = (parts: readonly Part[]): void => {
    for (const part of parts) {
      if (part.type === 'toolResult') take(part.parts)
      else if (part.type === 'toolCall') texts.push(part.name, part.arguments)
      else if ('text' in part) texts.push(part.text)
      else if (part.type !== 'hiddenThinking') moreTokens += MEDIUM_TOKENS
    }
  }
  for (const { parts } of turns) take(parts)
  for (const { name, description = '', parameters } of tools)
    texts.push(name, description, JSON.stringify(parameters))
  if (output?.type === 'schema') texts.push(JSON.stringify(output.schema))
  return { texts, moreTokens }
}

/** Texts, or lists of token ids. */
const promptOfInput = (input: unknown): Prompt => {
  const texts: string[] = []
  let moreTokens = 0
  const take = (item: unknown): void => {
    if (typeof item === 'string') texts.push(item)
    else if (typeof item === 'number') moreTokens++
    else if (Array.isArray(item)) item.forEach(take)
    else if (typeof item === 'object' && item !== null && 'text' in item) take(item.text)
  }
  take(input)
  return { texts, moreTokens }
}
