import { createHash } from 'node:crypto'
import { type JsonObject, jsonObjectIn } from '../../protocols/json/json-object.ts'
import { readJson } from '../../protocols/json/read-json.ts'
import { BadRequest, type ChatCodec } from '../../protocols/llm/chat/codec.ts'
import { codecs } from '../../protocols/llm/codecs.ts'
import { Losses } from '../../protocols/llm/losses.ts'
import { answerChat } from './answer-chat.ts'
import { answerEmbeddings } from './answer-embeddings.ts'
import { answerRerank } from './answer-rerank.ts'
import { jsonAnswer, type MockAnswer } from './mock-answer.ts'
import { errorAnswer } from './mock-error.ts'
import { type MockRoute, mockRoute } from './mock-route.ts'
import { promptTokens } from './prompt-tokens.ts'

/** What the mock answers to a request: the same to the same request, ids included. */
export const answerRequest = (path: string, bytes: Buffer): MockAnswer => {
  const route = mockRoute(path)
  if (!route) return errorAnswer({ status: 404, message: NOTHING_HERE }, codecs.completions)
  const codec = codecs[route.dialect]
  try {
    return answerRoute(route, codec, parsed(bytes), seedOf(path, bytes))
  } catch (problem) {
    if (problem instanceof BadRequest) return errorAnswer({ status: 400, message: problem.message }, codec)
    throw problem
  }
}

const NOTHING_HERE =
  'The mock has nothing here. It knows paths that end in /chat/completions, /messages, /responses, /embeddings, /rerank, ' +
  ':generateContent and the like.'

const answerRoute = (route: MockRoute, codec: ChatCodec, body: JsonObject, seed: string): MockAnswer => {
  switch (route.format) {
    case 'embeddings':
      return answerEmbeddings(body, codec)
    case 'rerank':
      return answerRerank(body, codec, seed)
    case 'anthropicTokenCount':
      return jsonAnswer(200, { input_tokens: counted(codec, { max_tokens: 1, ...body }, route) })
    case 'geminiCountTokens': {
      const asked = jsonObjectIn(body.generateContentRequest) ?? body
      return jsonAnswer(200, { totalTokens: counted(codec, asked, route) })
    }
    default:
      return answerChat(body, route, codec, seed)
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
