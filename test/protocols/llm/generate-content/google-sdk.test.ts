import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as textOf } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import {
  ApiError,
  FunctionCallingConfigMode,
  type GenerateContentResponse,
  GoogleGenAI,
  ThinkingLevel,
  Type,
} from '@google/genai'
import type { JsonObject } from '../../../../src/protocols/json/json-object.ts'
import type { ChatEvent } from '../../../../src/protocols/llm/chat/events.ts'
import type { ChatReply } from '../../../../src/protocols/llm/chat/reply.ts'
import { generateContent } from '../../../../src/protocols/llm/generate-content/codec.ts'
import { Losses } from '../../../../src/protocols/llm/dropped-fields.ts'
import { plain } from '../goldens.ts'

const asked = { model: 'gemini-3.8-flash', includeUsage: true }
/** The last request of the server. */
let received: { readonly url: string; readonly body: JsonObject } | undefined
/** Its next response. */
let answer: { readonly status: number; readonly type: string; readonly body: string }

const server = createServer((request: IncomingMessage, response: ServerResponse) => {
  void textOf(request).then((text) => {
    received = { url: request.url ?? '', body: JSON.parse(text) as JsonObject }
    response.writeHead(answer.status, { 'content-type': answer.type }).end(answer.body)
  })
})
let ai: GoogleGenAI

before(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  ai = new GoogleGenAI({ apiKey: 'k', httpOptions: { baseUrl: `http://127.0.0.1:${port}` } })
})

after(() => {
  server.close()
  server.closeAllConnections()
})

const reply: ChatReply = {
  id: 'msg_1',
  model: 'claude-x',
  createdAtS: 1_767_323_045,
  parts: [
    { type: 'thinking', text: 'Hm.', signature: 'c2ln' },
    { type: 'text', text: 'One moment.' },
    { type: 'toolCall', id: 'a', name: 'weather', arguments: '{"city":"Paris"}', signature: 'Yg==' },
    { type: 'toolCall', id: 'b', name: 'now', arguments: '' },
  ],
  finish: 'toolCalls',
  usage: { inputTokens: 20, outputTokens: 50, reasoningTokens: 10, cachedInputTokens: 5 },
}

const events: readonly ChatEvent[] = [
  { type: 'start', id: 'msg_1', model: 'claude-x' },
  { type: 'open', block: 0, part: { type: 'thinking' } },
  { type: 'delta', block: 0, text: 'Hm.' },
  { type: 'signature', block: 0, signature: 'c2ln' },
  { type: 'close', block: 0 },
  { type: 'open', block: 1, part: { type: 'text' } },
  { type: 'delta', block: 1, text: 'One ' },
  { type: 'delta', block: 1, text: 'moment.' },
  { type: 'close', block: 1 },
  { type: 'open', block: 2, part: { type: 'toolCall', id: 'a', name: 'weather' } },
  { type: 'delta', block: 2, text: '{"city":' },
  { type: 'delta', block: 2, text: '"Paris"}' },
  { type: 'close', block: 2 },
  { type: 'usage', usage: { inputTokens: 20, outputTokens: 50, reasoningTokens: 10 } },
  { type: 'finish', finish: 'toolCalls' },
  { type: 'end' },
]

const stream = (list: readonly ChatEvent[]): typeof answer => {
  const encoder = generateContent.encodeStream(asked)
  return {
    status: 200,
    type: 'text/event-stream',
    body: list.map((event) => encoder.encode(event)).join(''),
  }
}

const chunksOf = async (
  source: AsyncIterable<GenerateContentResponse>,
): Promise<GenerateContentResponse[]> => {
  const chunks: GenerateContentResponse[] = []
  for await (const chunk of source) chunks.push(chunk)
  return chunks
}

const json = (status: number, body: JsonObject): typeof answer => ({
  status,
  type: 'application/json',
  body: JSON.stringify(body),
})

test("Google's client reads a complete response, and its request is decoded without loss", async () => {
  answer = json(200, generateContent.encodeReply(reply, asked, new Losses()))
  const response = await ai.models.generateContent({
    model: 'gemini-3.8-flash',
    contents: [
      { role: 'user', parts: [{ text: 'Hi' }, { inlineData: { mimeType: 'image/png', data: 'iVBORw==' } }] },
    ],
    config: {
      systemInstruction: 'Be brief.',
      temperature: 0.5,
      maxOutputTokens: 100,
      stopSequences: ['END'],
      responseMimeType: 'application/json',
      responseSchema: { type: Type.OBJECT, properties: { a: { type: Type.STRING } } },
      thinkingConfig: { thinkingLevel: ThinkingLevel.LOW, includeThoughts: true },
      tools: [{ functionDeclarations: [{ name: 'f', parameters: { type: Type.OBJECT, properties: {} } }] }],
      toolConfig: { functionCallingConfig: { mode: FunctionCallingConfigMode.ANY } },
    },
  })
  assert.equal(response.text, 'One moment.')
  assert.deepEqual(plain(response.functionCalls), [
    { id: 'a', name: 'weather', args: { city: 'Paris' } },
    { id: 'b', name: 'now', args: {} },
  ])
  assert.equal(response.candidates?.[0]?.finishReason, 'STOP')
  assert.equal(response.usageMetadata?.totalTokenCount, 70)
  assert.equal(response.responseId, 'msg_1')
  assert.equal(response.modelVersion, 'claude-x')

  const losses = new Losses()
  const request = generateContent.decodeRequest(received!.body, { model: 'm' }, losses)
  assert.deepEqual(losses.fields, [])
  assert.deepEqual(plain(request), {
    model: 'm',
    instructions: [{ type: 'text', text: 'Be brief.' }],
    turns: [
      {
        role: 'user',
        parts: [
          { type: 'text', text: 'Hi' },
          { type: 'image', source: { base64: 'iVBORw==', mediaType: 'image/png' } },
        ],
      },
    ],
    tools: [{ name: 'f', parameters: { type: 'object', properties: {} } }],
    toolChoice: 'required',
    maxTokens: 100,
    temperature: 0.5,
    stop: ['END'],
    output: { type: 'schema', schema: { type: 'object', properties: { a: { type: 'string' } } } },
    reasoning: { effort: 'low', visible: true },
    streaming: false,
    includeUsage: true,
  })
})

test("Google's client reads a stream", async () => {
  answer = stream(events)
  const chunks = await chunksOf(
    await ai.models.generateContentStream({ model: 'gemini-3.8-flash', contents: 'Hi' }),
  )
  assert.match(received!.url, /:streamGenerateContent\?alt=sse$/)
  assert.equal(chunks.map(({ text }) => text ?? '').join(''), 'One moment.')
  assert.deepEqual(plain(chunks.flatMap(({ functionCalls }) => functionCalls ?? [])), [
    { id: 'a', name: 'weather', args: { city: 'Paris' } },
  ])
  const last = chunks.at(-1)
  assert.equal(last?.candidates?.[0]?.finishReason, 'STOP')
  assert.equal(last.usageMetadata?.candidatesTokenCount, 40)
  assert.equal(last.usageMetadata.thoughtsTokenCount, 10)
})

test("a chat of Google's client keeps a streamed response, and sends it back unchanged", async () => {
  const chat = ai.chats.create({ model: 'gemini-3.8-flash' })
  answer = stream(events)
  for await (const _ of await chat.sendMessageStream({ message: 'Weather?' }));
  answer = json(
    200,
    generateContent.encodeReply({ ...reply, parts: [{ type: 'text', text: 'Sunny.' }] }, asked, new Losses()),
  )
  const response = await chat.sendMessage({
    message: { functionResponse: { id: 'a', name: 'weather', response: { output: 'sunny' } } },
  })
  assert.equal(response.text, 'Sunny.')
  const losses = new Losses()
  const { turns } = generateContent.decodeRequest(received!.body, { model: 'm' }, losses)
  assert.deepEqual(losses.fields, [])
  assert.equal(turns[0]?.role, 'user')
  const said = turns.slice(1, -1).flatMap(({ role, parts }) => (role === 'assistant' ? parts : []))
  assert.equal(said.map((part) => (part.type === 'text' ? part.text : '')).join(''), 'One moment.')
  assert.deepEqual(plain(said.filter(({ type }) => type === 'toolCall')), [
    { type: 'toolCall', id: 'a', name: 'weather', arguments: '{"city":"Paris"}' },
  ])
  assert.deepEqual(plain(turns.at(-1)?.parts), [
    { type: 'toolResult', id: 'a', name: 'weather', parts: [{ type: 'text', text: 'sunny' }] },
  ])
})

test("Google's client throws errors with their status, before a stream and in it", async () => {
  const error = { status: 429, message: 'slow down' }
  answer = json(429, generateContent.encodeError(error))
  const ask = { model: 'gemini-3.8-flash', contents: 'Hi' }
  await assert.rejects(ai.models.generateContent(ask), (thrown) => {
    assert.ok(thrown instanceof ApiError)
    assert.equal(thrown.status, 429)
    assert.match(thrown.message, /slow down/)
    return true
  })
  answer = stream([...events.slice(0, 4), { type: 'error', error }])
  await assert.rejects(
    async () => chunksOf(await ai.models.generateContentStream(ask)),
    (thrown) => thrown instanceof ApiError && thrown.status === 429,
  )
})
