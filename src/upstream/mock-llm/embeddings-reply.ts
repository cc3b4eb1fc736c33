import { BadRequest, type ChatCodec } from '../../protocols/llm/chat/codec.ts'
import type { JsonObject } from '../../protocols/json/json-object.ts'
import { instructionsIn } from './instructions.ts'
import { jsonReply, type MockReply } from './mock-reply.ts'
import { requestedError } from './mock-error.ts'
import { countMockTokens } from './mock-tokens.ts'
import { textVector } from './fake-embedding.ts'

/** Replies to a request for embeddings in OpenAI's format. Instructions are those of the first text. */
export const mockEmbeddingsReply = (body: JsonObject, codec: ChatCodec): MockReply => {
  const { model, encoding_format: encoding } = body
  if (typeof model !== 'string') throw new BadRequest('model must be a string')
  const dimensions = dimensionsIn(body.dimensions, 'dimensions')
  const texts = textsIn(body.input)
  const instructions = instructionsIn(texts[0] ?? '', model)
  const refused = requestedError(instructions, codec)
  if (refused) return refused
  const tokens =
    instructions.usage?.inputTokens ?? texts.reduce((sum, text) => sum + countMockTokens(text), 0)
  const data = texts.map((text, index) => {
    const vector = textVector(text, dimensions)
    return { object: 'embedding', index, embedding: encoding === 'base64' ? floats(vector) : vector }
  })
  return jsonReply(
    200,
    { object: 'list', data, model, usage: { prompt_tokens: tokens, total_tokens: tokens } },
    { delayMs: instructions.delayMs, cutAfter: instructions.cutAfter },
  )
}

/** The requested length of a vector; 256 by default. */
export const dimensionsIn = (value: unknown, name: string): number => {
  const dimensions = value ?? 256
  if (Number.isInteger(dimensions) && Number(dimensions) >= 1 && Number(dimensions) <= MAX_DIMENSIONS)
    return Number(dimensions)
  throw new BadRequest(`${name} must be a whole number from 1 to ${MAX_DIMENSIONS}`)
}

const MAX_DIMENSIONS = 4096

/** Most texts of a request. */
export const MAX_TEXTS = 2048

/** One text or several, each as text or as token ids. */
const textsIn = (input: unknown): string[] => {
  if (typeof input === 'string') return [input]
  if (!Array.isArray(input) || input.length === 0)
    throw new BadRequest('input must be a text or a list of texts')
  const list = typeof input[0] === 'number' ? [input] : (input as unknown[])
  if (list.length > MAX_TEXTS) throw new BadRequest(`input must have at most ${MAX_TEXTS} texts`)
  return list.map((one) => {
    if (typeof one === 'string') return one
    if (Array.isArray(one) && one.every((token) => typeof token === 'number')) return one.join(' ')
    throw new BadRequest('input must be a text or a list of texts')
  })
}

/** Little-endian 32-bit floats in base64, as in OpenAI's API. */
const floats = (vector: readonly number[]): string => {
  const bytes = Buffer.alloc(vector.length * 4)
  for (const [i, value] of vector.entries()) bytes.writeFloatLE(value, i * 4)
  return bytes.toString('base64')
}
