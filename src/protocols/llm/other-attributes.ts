import type { JsonObject } from '../json/json-object.ts'
import type { ReplyAttributes, RequestAttributes } from './chat/codec.ts'
import { embeddingsReplyAttributes, embeddingsRequestAttributes } from './embeddings/attributes.ts'
import type { OtherFormat } from './format.ts'
import { rerankReplyAttributes, rerankRequestAttributes } from './rerank/attributes.ts'

/** The attributes of a request other than a conversation. */
export const otherRequestAttributes = (format: OtherFormat, body: JsonObject): RequestAttributes =>
  format === 'embeddings' ? embeddingsRequestAttributes(body) : rerankRequestAttributes(body)

/** The attributes of its response. Counting tokens has no usage. */
export const otherReplyAttributes = (format: OtherFormat, body: JsonObject): ReplyAttributes => {
  if (format === 'embeddings') return embeddingsReplyAttributes(body)
  return format === 'rerank' ? rerankReplyAttributes(body) : {}
}
