import type { JsonObject } from '../../json/json-object.ts'
import { BadReply } from '../chat/codec.ts'
import type { RerankRequest } from './request.ts'

/** The score of a document. */
export interface Ranked {
  /** Its index in the request. */
  readonly index: number
  readonly score: number
}

/** Encodes a reply in Cohere's format. The providers that are translated do not report usage. */
export const rerankReply = (ranked: readonly Ranked[], request: RerankRequest): JsonObject => ({
  results: ranked.map(({ index, score }) => {
    const document = request.documents[index]
    // A score of the wrong document would be worse than none.
    if (document === undefined)
      throw new BadReply(`has a result for document ${String(index)}, which there is not`)
    return {
      index,
      relevance_score: score,
      ...(request.withDocuments && {
        document: typeof document === 'string' ? { text: document } : document,
      }),
    }
  }),
})
