import assert from 'node:assert/strict'
import { once } from 'node:events'
import {
  createServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
} from 'node:http2'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { text as textOf } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import {
  BedrockRuntimeClient,
  ConverseCommand,
  type ConverseCommandInput,
  ConverseStreamCommand,
  ThrottlingException,
  ValidationException,
} from '@aws-sdk/client-bedrock-runtime'
import { encodeEvent, encodeException } from '../../../../src/protocols/aws-event-stream/event.ts'
import type { JsonObject } from '../../../../src/protocols/json/json-object.ts'
import type { ChatReply } from '../../../../src/protocols/llm/chat/reply.ts'
import { converse } from '../../../../src/protocols/llm/converse/codec.ts'
import { Losses } from '../../../../src/protocols/llm/dropped-fields.ts'
import { plain } from '../goldens.ts'

/** The last request of the server. */
let received: JsonObject = {}
/** Its next response. */
let answer: { readonly status: number; readonly type: string; readonly body: Buffer }

// The client uses HTTP/2 with this service.
const server = createServer((request: Http2ServerRequest, response: Http2ServerResponse) => {
  void textOf(request).then((text) => {
    received = JSON.parse(text) as JsonObject
    response.writeHead(answer.status, { 'content-type': answer.type }).end(answer.body)
  })
})
const sessions = new Set<ServerHttp2Session>()
server.on('session', (session) => sessions.add(session))
let client: BedrockRuntimeClient

before(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  client = new BedrockRuntimeClient({
    endpoint: `http://127.0.0.1:${port}`,
    region: 'eu-west-1',
    credentials: { accessKeyId: 'a', secretAccessKey: 's' },
    maxAttempts: 1,
  })
})

after(() => {
  client.destroy()
  server.close()
  for (const session of sessions) session.destroy()
})

const asked = { model: 'm', includeUsage: true }
const json = (status: number, body: JsonObject): typeof answer => ({
  status,
  type: 'application/json',
  body: Buffer.from(JSON.stringify(body)),
})
const frames = (...list: readonly Buffer[]): typeof answer => ({
  status: 200,
  type: 'application/vnd.amazon.eventstream',
  body: Buffer.concat(list),
})

const input: ConverseCommandInput = {
  modelId: 'anthropic.claude-x',
  system: [{ text: 'Be brief.' }, { cachePoint: { type: 'default' } }],
  messages: [
    {
      role: 'user',
      content: [{ text: 'Look' }, { image: { format: 'png', source: { bytes: Buffer.from('png') } } }],
    },
    {
      role: 'assistant',
      content: [
        { reasoningContent: { redactedContent: Buffer.from('red') } },
        { toolUse: { toolUseId: 't', name: 'f', input: { a: 1 } } },
      ],
    },
    { role: 'user', content: [{ toolResult: { toolUseId: 't', content: [{ json: { b: 2 } }] } }] },
  ],
  inferenceConfig: { maxTokens: 10 },
  toolConfig: { tools: [{ toolSpec: { name: 'f', inputSchema: { json: { type: 'object' } } } }] },
}

test('the AWS client reads a complete response, and its request is decoded without loss', async () => {
  const reply: ChatReply = {
    id: '',
    model: '',
    parts: [
      { type: 'thinking', text: 'Hm.', signature: 'c2ln' },
      { type: 'text', text: 'Hello.' },
      { type: 'toolCall', id: 't1', name: 'f', arguments: '{"a":1}' },
    ],
    finish: 'toolCalls',
    usage: { inputTokens: 15, outputTokens: 4, cachedInputTokens: 5 },
  }
  answer = json(200, converse.encodeReply(reply, asked, new Losses()))
  const { output, stopReason, usage } = await client.send(new ConverseCommand(input))
  assert.deepEqual(plain(output?.message?.content), [
    { reasoningContent: { reasoningText: { text: 'Hm.', signature: 'c2ln' } } },
    { text: 'Hello.' },
    { toolUse: { toolUseId: 't1', name: 'f', input: { a: 1 } } },
  ])
  assert.equal(stopReason, 'tool_use')
  assert.deepEqual(plain(usage), {
    inputTokens: 10,
    outputTokens: 4,
    totalTokens: 19,
    cacheReadInputTokens: 5,
  })

  const losses = new Losses()
  const request = converse.decodeRequest(received, { model: 'm' }, losses)
  assert.deepEqual(losses.fields, [])
  assert.deepEqual(plain(request), {
    model: 'm',
    instructions: [{ type: 'text', text: 'Be brief.', cache: {} }],
    turns: [
      {
        role: 'user',
        parts: [
          { type: 'text', text: 'Look' },
          { type: 'image', source: { base64: 'cG5n', mediaType: 'image/png' } },
        ],
      },
      {
        role: 'assistant',
        parts: [
          { type: 'hiddenThinking', data: 'cmVk' },
          { type: 'toolCall', id: 't', name: 'f', arguments: '{"a":1}' },
        ],
      },
      { role: 'user', parts: [{ type: 'toolResult', id: 't', parts: [{ type: 'text', text: '{"b":2}' }] }] },
    ],
    tools: [{ name: 'f', parameters: { type: 'object' } }],
    maxTokens: 10,
    stop: [],
    streaming: false,
    includeUsage: true,
  })
})

test('the AWS client reads frames', async () => {
  const list = [
    ['messageStart', { role: 'assistant' }],
    ['contentBlockDelta', { contentBlockIndex: 0, delta: { text: 'Grüß dich' } }],
    ['contentBlockStop', { contentBlockIndex: 0 }],
    ['messageStop', { stopReason: 'end_turn' }],
    ['metadata', { usage: { inputTokens: 1, outputTokens: 2, totalTokens: 3 }, metrics: { latencyMs: 4 } }],
  ] as const
  answer = frames(...list.map(([name, payload]) => encodeEvent(name, JSON.stringify(payload))))
  const { stream } = await client.send(new ConverseStreamCommand(input))
  assert.deepEqual(
    plain(await Readable.from(stream ?? []).toArray()),
    list.map(([name, payload]) => ({ [name]: payload })),
  )
})

test('the AWS client throws exceptions, before a stream and in it', async () => {
  answer = json(400, converse.encodeError({ status: 400, message: 'no such field' }))
  await assert.rejects(client.send(new ConverseCommand(input)), (thrown) => {
    assert.ok(thrown instanceof ValidationException)
    assert.equal(thrown.message, 'no such field')
    return true
  })
  answer = frames(
    encodeEvent('messageStart', '{"role":"assistant"}'),
    encodeException('throttlingException', '{"message":"slow down"}'),
  )
  const { stream } = await client.send(new ConverseStreamCommand(input))
  await assert.rejects(
    Readable.from(stream ?? []).toArray(),
    (thrown) => thrown instanceof ThrottlingException && thrown.message === 'slow down',
  )
})
