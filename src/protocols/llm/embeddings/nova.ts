import { BadReply } from '../chat/codec.ts'
import { Fields } from '../members/fields.ts'
import type { TranslateCall } from '../translated-call.ts'
import { inputTokenHeader } from './input-token-header.ts'
import { readEmbeddingsRequest, oneText } from './request.ts'
import { embeddingsReply, vectorIn } from './reply.ts'

/** Embeddings of Amazon Nova on Bedrock: its task `SINGLE_EMBEDDING`. */
export const novaEmbeddings: TranslateCall = (body, model, losses) => {
  const request = readEmbeddingsRequest(body, ['embedding_purpose', 'truncation_mode'], losses)
  const { fields, dimensions } = request
  return {
    body: {
      taskType: 'SINGLE_EMBEDDING',
      singleEmbeddingParams: {
        embeddingPurpose: fields.text('embedding_purpose') ?? 'GENERIC_INDEX',
        ...(dimensions !== undefined && { embeddingDimension: dimensions }),
        text: { truncationMode: fields.text('truncation_mode') ?? 'END', value: oneText(request) },
      },
    },
    reply: (response, headers) => {
      const embeddings = new Fields(response, '', { refusal: BadReply }).list('embeddings')
      const vectors = embeddings.map((one, i) =>
        vectorIn(one.any('embedding'), `embeddings[${String(i)}].embedding`),
      )
      return embeddingsReply(vectors, inputTokenHeader(headers), model, request)
    },
  }
}
