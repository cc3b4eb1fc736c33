import { jsonObjectIn } from '../../json/json-object.ts'
import { BadReply } from '../chat/codec.ts'
import type { TranslateCall } from '../translated-call.ts'
import { inputTokenHeader } from './input-token-header.ts'
import { embeddingsReply, vectorIn } from './reply.ts'
import { readEmbeddingsRequest } from './request.ts'

/** Embeddings of Cohere on Bedrock. The vector length is fixed before version 4. */
export const cohereEmbeddings: TranslateCall = (body, model, losses) => {
  const request = readEmbeddingsRequest(body, ['input_type', 'truncate'], losses)
  const { fields, texts, dimensions } = request
  const truncate = fields.text('truncate')
  const takesLength = model.includes('embed-v4')
  if (dimensions !== undefined && !takesLength) losses.drop('dimensions')
  return {
    body: {
      texts,
      // Required there, unknown to OpenAI: most requests for single embeddings are search queries.
      input_type: fields.text('input_type') ?? 'search_query',
      ...(truncate !== undefined && { truncate }),
      ...(takesLength && dimensions !== undefined && { output_dimension: dimensions }),
    },
    reply: (response, headers) => {
      // By type if types were requested, which may be the default for version 4.
      const lists = jsonObjectIn(response.embeddings)?.float ?? response.embeddings
      if (!Array.isArray(lists)) throw new BadReply('embeddings must be a list')
      const vectors = lists.map((list, i) => vectorIn(list, `embeddings[${String(i)}]`))
      return embeddingsReply(vectors, inputTokenHeader(headers), model, request)
    },
  }
}
