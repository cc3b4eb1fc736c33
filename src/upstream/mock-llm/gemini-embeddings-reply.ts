import { type JsonObject, jsonObjectIn } from '../../protocols/json/json-object.ts'
import { BadRequest, type ChatCodec } from '../../protocols/llm/chat/codec.ts'
import { dimensionsIn, MAX_TEXTS } from './embeddings-reply.ts'
import { instructionsIn } from './instructions.ts'
import { jsonReply, type MockReply } from './mock-reply.ts'
import { requestedError } from './mock-error.ts'
import { countMockTokens } from './mock-tokens.ts'
import { textVector } from './fake-embedding.ts'

/** Replies to `embedContent` and `batchEmbedContents` of the Gemini API. Instructions are those of the first text. */
export const geminiEmbeddingsReply = (
  body: JsonObject,
  model: string,
  isBatch: boolean,
  codec: ChatCodec,
): MockReply => {
  const requests = isBatch ? requestsIn(body) : [{ request: body, at: '' }]
  const asked = requests.map(({ request, at }) => ({
    text: textIn(request.content, `${at}content`),
    dimensions: dimensionsOf(request, at),
  }))
  const instructions = instructionsIn(asked[0]?.text ?? '', model)
  const refused = requestedError(instructions, codec)
  if (refused) return refused
  const embeddings = asked.map(({ text, dimensions }) => ({ values: textVector(text, dimensions) }))
  const promptTokenCount =
    instructions.usage?.inputTokens ?? asked.reduce((sum, { text }) => sum + countMockTokens(text), 0)
  const usageMetadata = { promptTokenCount, totalTokenCount: promptTokenCount }
  return jsonReply(
    200,
    isBatch ? { embeddings, usageMetadata } : { embedding: embeddings[0], usageMetadata },
    { delayMs: instructions.delayMs, cutAfter: instructions.cutAfter },
  )
}

interface EmbeddingRequest {
  readonly request: JsonObject
  /** Its name in errors. */
  readonly at: string
}

const requestsIn = ({ requests }: JsonObject): readonly EmbeddingRequest[] => {
  if (!Array.isArray(requests) || requests.length === 0)
    throw new BadRequest('requests must be a list of requests')
  if (requests.length > MAX_TEXTS) throw new BadRequest(`requests must have at most ${MAX_TEXTS} requests`)
  return requests.map((one: unknown, i) => {
    const request = jsonObjectIn(one)
    if (!request) throw new BadRequest(`requests[${i}] must be an object`)
    return { request, at: `requests[${i}].` }
  })
}

/** As the Gemini API has it, or in the newer `embedContentConfig`. */
const dimensionsOf = (request: JsonObject, at: string): number => {
  const config = jsonObjectIn(request.embedContentConfig ?? request.embed_content_config) ?? request
  return dimensionsIn(
    config.outputDimensionality ?? config.output_dimensionality,
    `${at}outputDimensionality`,
  )
}

const textIn = (value: unknown, at: string): string => {
  const parts = jsonObjectIn(value)?.parts
  if (!Array.isArray(parts) || parts.length === 0) throw new BadRequest(`${at}.parts must be a list of parts`)
  return parts
    .map((part: unknown, i) => {
      const text = jsonObjectIn(part)?.text
      if (typeof text !== 'string') throw new BadRequest(`${at}.parts[${i}].text must be a string`)
      return text
    })
    .join('\n')
}
