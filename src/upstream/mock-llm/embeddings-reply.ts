import { BadRequest, type ChatCodec } from '../../protocols/llm/chat/codec.ts'
import type { JsonObject } from '../../protocols/json/json-object.ts'
import { instructionsIn } from './instructions.ts'
import { jsonAnswer, type MockAnswer } from './mock-answer.ts'
import { toldError } from './mock-error.ts'
import { countMockTokens } from './mock-tokens.ts'
import { textVector } from './text-vector.ts'

/** Answers a request for embeddings in OpenAI's format. Instructions are those of the first text. */
export const answerEmbeddings = (body: JsonObject, codec: ChatCodec): MockAnswer => {
  const { model, encoding_format: encoding } = body
  if (typeof model !== 'string') throw new BadRequest('model must be a string')
  const dimensions = body.dimensions ?? 256
  if (!Number.isInteger(dimensions) || Number(dimensions) < 1 || Number(dimensions) > MAX_DIMENSIONS)
    throw new BadRequest(`dimensions must be a whole number from 1 to ${MAX_DIMENSIONS}`)
  const texts = textsIn(body.input)
  const instructions = instructionsIn(texts[0] ?? '', model)
  const refused = toldError(instructions, codec)
  if (refused) return refused
  const tokens =
    instructions.usage?.inputTokens ?? texts.reduce((sum, text) => sum + countMockTokens(text), 0)
  const data = texts.map((text, index) => {
    const vector = textVector(text, Number(dimensions))
    return { object: 'embedding', index, embedding: encoding === 'base64' ? floats(vector) : vector }
  })
  return jsonAnswer(
    200,
    { object: 'list', data, model, usage: { prompt_tokens: tokens, total_tokens: tokens } },
    { delayMs: instructions.delayMs, cutAfter: instructions.cutAfter },
  )
}

const MAX_DIMENSIONS = 4096
const MAX_TEXTS = 2048

/** One text or several, each of them as text or as numbers of tokens. */
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

/** Little-endian floats of 32 bits, as OpenAI writes them. */
const floats = (vector: readonly number[]): string => {
  const bytes = Buffer.alloc(vector.length * 4)
  for (const [i, value] of vector.entries()) bytes.writeFloatLE(value, i * 4)
  return bytes.toString('base64')
}
