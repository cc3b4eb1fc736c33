import { type JsonObject, jsonObjectIn } from '../../json/json-object.ts'
import { BadRequest } from '../chat/codec.ts'
import { Fields } from '../members/fields.ts'
import type { Losses } from '../dropped-fields.ts'

/** A rerank request in Cohere's format (`/v2/rerank`, with the additional fields of `/v1/rerank`). */
export interface RerankRequest {
  readonly query: string
  readonly documents: readonly RerankDocument[]
  readonly topN: number | undefined
  /** The reply must include the documents. */
  readonly withDocuments: boolean
  readonly maxTokensPerDocument: number | undefined
}

/** A text, or an object that may have one in its `text`. */
export type RerankDocument = string | JsonObject

/**
 * Decodes the request.
 *
 * @param takesLimit Whether the provider can limit the tokens it reads of each document.
 */
export const readRerankRequest = (body: JsonObject, takesLimit: boolean, losses: Losses): RerankRequest => {
  const fields = new Fields(body, '', { refusal: BadRequest })
  fields.dropOthers(takesLimit ? new Set([...read, limit]) : read, known, '', losses)
  const topN = fields.number('top_n')
  if (topN !== undefined && !(Number.isSafeInteger(topN) && topN > 0))
    fields.refuse('top_n', 'must be a positive integer')
  return {
    query: fields.neededText('query'),
    documents: documentsIn(fields),
    topN,
    withDocuments: fields.flag('return_documents') ?? false,
    maxTokensPerDocument: fields.number(limit),
  }
}

/** The text of a document; undefined if it has none. */
export const textOf = (document: RerankDocument): string | undefined => {
  if (typeof document === 'string') return document
  return typeof document.text === 'string' ? document.text : undefined
}

const limit = 'max_tokens_per_doc'
const read: ReadonlySet<string> = new Set(['model', 'query', 'documents', 'top_n', 'return_documents'])
const known: ReadonlySet<string> = new Set([limit, 'max_chunks_per_doc', 'rank_fields', 'priority'])

const documentsIn = (fields: Fields): readonly RerankDocument[] => {
  const documents = fields.any('documents')
  if (documents === undefined) return fields.refuse('documents', 'is missing')
  if (!Array.isArray(documents)) return fields.refuse('documents', 'must be a list')
  if (documents.length === 0) return fields.refuse('documents', 'must not be empty')
  return documents.map((one, i) =>
    typeof one === 'string'
      ? one
      : (jsonObjectIn(one) ?? fields.refuse(`documents[${String(i)}]`, 'must be a string or an object')),
  )
}
