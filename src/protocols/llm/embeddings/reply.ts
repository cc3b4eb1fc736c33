import type { JsonObject } from '../../json/json-object.ts'
import { BadReply } from '../chat/codec.ts'
import type { EmbeddingsRequest } from './request.ts'

/**
 * Encodes a reply as OpenAI does (`CreateEmbeddingResponse`). Without `usage` if the provider reported none: a zero
 * would be charged as zero.
 */
export const embeddingsReply = (
  vectors: readonly (readonly number[])[],
  tokens: number | undefined,
  model: string,
  { isBase64, texts }: EmbeddingsRequest,
): JsonObject => {
  if (vectors.length !== texts.length)
    throw new BadReply(`has ${String(vectors.length)} embeddings for ${String(texts.length)} texts`)
  return {
    object: 'list',
    data: vectors.map((vector, index) => ({
      object: 'embedding',
      index,
      embedding: isBase64 ? base64Of(vector) : vector,
    })),
    model,
    ...(tokens !== undefined && { usage: { prompt_tokens: tokens, total_tokens: tokens } }),
  }
}

/** Checks that a value is a list of numbers. */
export const vectorIn = (value: unknown, where: string): readonly number[] => {
  if (!Array.isArray(value) || value.length === 0 || !value.every((one) => typeof one === 'number'))
    throw new BadReply(`${where} is not a list of numbers`)
  return value
}

/** 32-bit floats in little-endian order on every machine. */
const base64Of = (vector: readonly number[]): string => {
  const bytes = Buffer.allocUnsafe(vector.length * 4)
  for (const [i, value] of vector.entries()) bytes.writeFloatLE(value, i * 4)
  return bytes.toString('base64')
}
