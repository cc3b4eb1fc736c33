import type { JsonObject } from '../json/json-object.ts'
import type { ReplyFacts, RequestFacts } from './chat/codec.ts'
import { embeddingsReplyFacts, embeddingsRequestFacts } from './embeddings/facts.ts'
import type { OtherFormat } from './format.ts'
import { rerankReplyFacts, rerankRequestFacts } from './rerank/facts.ts'

/** What a request that is no conversation says of itself. */
export const otherRequestFacts = (format: OtherFormat, body: JsonObject): RequestFacts =>
  format === 'embeddings' ? embeddingsRequestFacts(body) : rerankRequestFacts(body)

/** What its answer says of itself. Counting uses up nothing. */
export const otherReplyFacts = (format: OtherFormat, body: JsonObject): ReplyFacts => {
  if (format === 'embeddings') return embeddingsReplyFacts(body)
  return format === 'rerank' ? rerankReplyFacts(body) : {}
}
