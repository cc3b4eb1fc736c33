import { jsonObjectIn } from '../../json/json-object.ts'
import { BadReply } from '../chat/codec.ts'
import type { TranslateCall } from '../translated-call.ts'
import { inputTokenHeader } from './input-token-header.ts'
import { embeddingsReply, vectorIn } from './reply.ts'
import { readEmbeddingsRequest } from './request.ts'

/** Embeddings of Cohere on Bedrock. The version before 4 has one length of vectors. */
export const cohereEmbeddings: TranslateCall = (body, model, losses) => {
  const request = readEmbeddingsRequest(body, ['input_type', 'truncate'], losses)
  const { fields, texts, dimensions } = request
  const truncate = fields.text('truncate')
  const takesLength = model.includes('embed-v4')
  if (dimensions !== undefined && !takesLength) losses.drop('dimensions')
  return {
    body: {
      texts,
      // Needed there, and unknown to OpenAI: most who ask for single embeddings look for something.
      input_type: fields.text('input_type') ?? 'search_query',
      ...(truncate !== undefined && { truncate }),
      ...(takesLength && dimensions !== undefined && { output_dimension: dimensions }),
    },
    reply: (response, headers) => {
      // By type if types were asked for, which those who name a version 4 may have as their default.
      const lists = jsonObjectIn(response.embeddings)?.float ?? response.embeddings
      if (!Array.isArray(lists)) throw new BadReply('embeddings must be a list')
      const vectors = lists.map((list, i) => vectorIn(list, `embeddings[${String(i)}]`))
      return embeddingsReply(vectors, inputTokenHeader(headers), model, request)
    },
  }
}
