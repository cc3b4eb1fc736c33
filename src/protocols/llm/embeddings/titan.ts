import { type JsonObject, jsonObjectOr } from '../../json/json-object.ts'
import { BadReply } from '../chat/codec.ts'
import { Fields } from '../members/fields.ts'
import type { Losses } from '../dropped-fields.ts'
import type { TranslateCall } from '../translated-call.ts'
import { inputTokenHeader } from './input-token-header.ts'
import { type EmbeddingsRequest, readEmbeddingsRequest, oneText } from './request.ts'
import { embeddingsReply, vectorIn } from './reply.ts'

/** Embeddings of Amazon Titan on Bedrock, whose versions have different fields. */
export const titanEmbeddings: TranslateCall = (body, model, losses) => {
  const own = isSecond(model) ? ['normalize'] : []
  const request = readEmbeddingsRequest(body, own, losses)
  return {
    body: { inputText: oneText(request), ...shapeOf(model, request, losses) },
    reply: (response, headers) => {
      const fields = new Fields(response, '', { refusal: BadReply })
      const vector = fields.any('embedding') ?? jsonObjectOr(fields.any('embeddingsByType')).float
      const tokens = fields.number('inputTextTokenCount') ?? inputTokenHeader(headers)
      return embeddingsReply([vectorIn(vector, 'embedding')], tokens, model, request)
    },
  }
}

const isSecond = (model: string): boolean => model.includes('titan-embed-text-v2')

const shapeOf = (model: string, { fields, dimensions }: EmbeddingsRequest, losses: Losses): JsonObject => {
  if (isSecond(model))
    return {
      ...(dimensions !== undefined && { dimensions }),
      ...(fields.has('normalize') && { normalize: fields.flag('normalize') }),
    }
  if (dimensions === undefined) return {}
  if (model.includes('titan-embed-image')) return { embeddingConfig: { outputEmbeddingLength: dimensions } }
  losses.drop('dimensions')
  return {}
}
