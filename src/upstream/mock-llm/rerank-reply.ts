import { BadRequest, type ChatCodec } from '../../protocols/llm/chat/codec.ts'
import { type JsonObject, jsonObjectIn } from '../../protocols/json/json-object.ts'
import { instructionsIn } from './instructions.ts'
import { jsonReply, type MockReply } from './mock-reply.ts'
import { requestedError } from './mock-error.ts'
import { countMockTokens } from './mock-tokens.ts'
import { cosine, textVector } from './fake-embedding.ts'

/** Replies to a request to rank documents in Cohere's format: those that share most words with the query come first. */
export const mockRerankReply = (body: JsonObject, codec: ChatCodec, seed: string): MockReply => {
  const { model, query, documents, top_n: topN, return_documents: returnsDocuments } = body
  if (typeof model !== 'string') throw new BadRequest('model must be a string')
  if (typeof query !== 'string') throw new BadRequest('query must be a string')
  if (!Array.isArray(documents) || documents.length > MAX_DOCUMENTS)
    throw new BadRequest(`documents must be a list of at most ${MAX_DOCUMENTS}`)
  const instructions = instructionsIn(query, model)
  const refused = requestedError(instructions, codec)
  if (refused) return refused
  const texts = documents.map(textOf)
  const queryVector = textVector(instructions.rest, DIMENSIONS)
  const results = texts
    .map((text, index) => ({
      index,
      relevance_score: Number(((1 + cosine(queryVector, textVector(text, DIMENSIONS))) / 2).toFixed(6)),
      ...(returnsDocuments === true && { document: { text } }),
    }))
    .sort((a, b) => b.relevance_score - a.relevance_score)
    .slice(0, typeof topN === 'number' && topN > 0 ? topN : documents.length)
  const inputTokens =
    instructions.usage?.inputTokens ??
    texts.reduce((sum, text) => sum + countMockTokens(text), countMockTokens(instructions.rest))
  const meta = {
    api_version: { version: '2' },
    billed_units: { search_units: 1 },
    tokens: { input_tokens: inputTokens },
  }
  return jsonReply(
    200,
    { id: seed, results, meta },
    { delayMs: instructions.delayMs, cutAfter: instructions.cutAfter },
  )
}

const DIMENSIONS = 64
const MAX_DOCUMENTS = 1000

const textOf = (document: unknown): string => {
  const text = jsonObjectIn(document)?.text ?? document
  if (typeof text !== 'string') throw new BadRequest('documents must be texts')
  return text
}
