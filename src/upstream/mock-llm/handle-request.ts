import { createHash } from 'node:crypto'
import { type JsonObject, jsonObjectIn } from '../../protocols/json/json-object.ts'
import { readJson } from '../../protocols/json/read-json.ts'
import { BadRequest, type ChatCodec } from '../../protocols/llm/chat/codec.ts'
import { codecs } from '../../protocols/llm/codecs.ts'
import { Losses } from '../../protocols/llm/dropped-fields.ts'
import { chatReply } from './chat-reply.ts'
import { mockEmbeddingsReply } from './embeddings-reply.ts'
import { geminiEmbeddingsReply } from './gemini-embeddings-reply.ts'
import { mockRerankReply } from './rerank-reply.ts'
import { jsonReply, type MockReply } from './mock-reply.ts'
import { mockErrorReply } from './mock-error.ts'
import { type MockRoute, mockRoute } from './mock-route.ts'
import { promptTokens } from './prompt-tokens.ts'

/** The mock's reply to a request: always the same for the same request, ids included. */
export const handleRequest = (path: string, bytes: Buffer): MockReply => {
  const route = mockRoute(path)
  if (!route) return mockErrorReply({ status: 404, message: NOTHING_HERE }, codecs.completions)
  const codec = codecs[route.dialect]
  try {
    return replyTo(route, codec, parsed(bytes), seedOf(path, bytes))
  } catch (problem) {
    if (problem instanceof BadRequest) return mockErrorReply({ status: 400, message: problem.message }, codec)
    throw problem
  }
}

const NOTHING_HERE =
  'The mock has nothing here. It knows paths that end in /chat/completions, /messages, /responses, /embeddings, /rerank, ' +
  ':generateContent and the like.'

const replyTo = (route: MockRoute, codec: ChatCodec, body: JsonObject, seed: string): MockReply => {
  switch (route.format) {
    case 'embeddings':
      return mockEmbeddingsReply(body, codec)
    case 'geminiEmbedding':
    case 'geminiEmbeddings':
      return geminiEmbeddingsReply(body, route.model ?? '', route.format === 'geminiEmbeddings', codec)
    case 'rerank':
      return mockRerankReply(body, codec, seed)
    case 'anthropicTokenCount':
      return jsonReply(200, { input_tokens: counted(codec, { max_tokens: 1, ...body }, route) })
    case 'geminiCountTokens': {
      const asked = jsonObjectIn(body.generateContentRequest) ?? body
      return jsonReply(200, { totalTokens: counted(codec, asked, route) })
    }
    default:
      return chatReply(body, route, codec, seed)
  }
}

const counted = (codec: ChatCodec, body: JsonObject, route: MockRoute): number =>
  promptTokens(codec.decodeRequest(body, route, new Losses()))

const parsed = (bytes: Buffer): JsonObject => {
  const value = readJson(bytes.toString('utf8'))
  if (value === undefined) throw new BadRequest('the body must be JSON')
  const body = jsonObjectIn(value)
  if (!body) throw new BadRequest('the body must be a JSON object')
  return body
}

const seedOf = (path: string, bytes: Buffer): string =>
  createHash('sha256').update(path).update('\n').update(bytes).digest('hex').slice(0, 24)
