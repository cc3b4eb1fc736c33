import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { suite, test } from 'node:test'
import {
  callModel,
  type ClientFormat,
  completions,
  embeddings,
  generateContent,
  messages,
  responses,
} from '../../support/llm/client-formats.ts'
import { recordedGateway } from '../../support/llm/recorded-gateway.ts'

const configuration = (host: string) => `llm:
  models:
    - name: pinned
      provider: anthropic
      params: { hostOverride: "${host}", apiKey: k, model: claude-other }
    - { name: 'claude*', provider: anthropic, params: { hostOverride: "${host}", apiKey: k } }
    - { name: 'gemini*', provider: gemini, params: { hostOverride: "${host}", apiKey: k } }
    - { name: '*', provider: openAI, params: { hostOverride: "${host}", apiKey: k } }
`

/** Written as no serialiser would: whitespace, escapes, numbers beyond double precision, unusual order, future fields. */
const bodies: readonly (readonly [ClientFormat, string, string])[] = [
  [
    messages,
    'claude-x',
    `{ "stream":STREAM,\r\n "max_tokens" : 1e2, "x_future":{"a":[1.0,12345678901234567890,"\\u00e9\\/é"],"a":2},
      "messages":[{"content":[{"type":"text","text":"h\\u0069","cache_control":{"type":"ephemeral","ttl":"1h"}}],"role":"user"}],
      "system":[{"type":"text","text":"s"}],"model"\t:"claude-x" }\n`,
  ],
  [
    completions,
    'gpt-3.5',
    `{"messages" : [{"role":"user","content":"h\\u0069 \\ud83d\\ude00"}],"temperature":1.00,"model":"gpt-3.5","stream":STREAM,"stream_options":{"include_usage":true},"x":null}`,
  ],
  [responses, 'gpt-4o', `{"input":"hi","model":"gpt-4o","stream":STREAM,"metadata":{"n":0.10}}`],
  [embeddings, 'text', `{"input":["a" , "b"],"model":"text","dimensions":2.0}`],
  [generateContent, 'gemini-x', `{"contents":[{"parts":[{"text":"hi"}],"role":"user"}],"future":{"a":1.0}}`],
]

const whole =
  '{ "id":"1","usage":{"input_tokens":1.0,"output_tokens":2},  "model":"m","future":[1e3,"\\u00e9"]}\n'

/** Streams with the end of their format, and details that a parser would lose. */
const streams: ReadonlyMap<ClientFormat, string> = new Map([
  [
    messages,
    ': a comment\r\n\r\nevent: message_start\r\ndata: {"type":"message_start","message":{"id":"m","type":"message","role":"assistant","content":[],"model":"c","stop_reason":null,"usage":{"input_tokens":3,"output_tokens":1}}}\r\n\r\n' +
      'event: ping\ndata: {"type": "ping"}\n\nevent: future\nid: 7\nretry: 5\ndata: {"type":"future",\ndata: "a":1.0}\n\n' +
      'event: message_delta\ndata: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":4}}\n\nevent: message_stop\ndata: {"type":"message_stop"}\n\n',
  ],
  [
    completions,
    'data: {"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"h\\u0069"},"finish_reason":null}],"future":1.0}\n\n' +
      'data: {"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n' +
      'data: {"id":"c","object":"chat.completion.chunk","choices":[],"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}\n\ndata: [DONE]\n\n',
  ],
  [
    responses,
    'event: response.created\ndata: {"type":"response.created","sequence_number":0,"response":{"id":"r","status":"in_progress"}}\n\n' +
      'event: response.completed\ndata: {"type":"response.completed","sequence_number":1,"response":{"id":"r","status":"completed","output":[],"usage":{"input_tokens":1,"output_tokens":1,"total_tokens":2}}}\n\n',
  ],
  [
    generateContent,
    'data: {"candidates": [{"content": {"parts": [{"text": "h"}],"role": "model"},"index": 0}]}\r\n\r\n' +
      'data: {"candidates": [{"content": {"parts": [{"text": "i"}],"role": "model"},"finishReason": "STOP","index": 0}],"usageMetadata": {"promptTokenCount": 1,"totalTokenCount": 2}}\r\n\r\n',
  ],
])

const hash = (bytes: string | Buffer | undefined) =>
  createHash('sha256')
    .update(bytes ?? '')
    .digest('hex')

suite('requests in the format of the provider', () => {
  const gateway = recordedGateway(configuration)

  for (const [format, model, text] of bodies)
    test(`and their responses are unchanged to the byte: ${format.name}`, async () => {
      gateway.provider.calls.length = 0
      gateway.provider.answer = { headers: { 'content-type': 'application/json' }, body: whole }
      const body = text.replace('STREAM', 'false')
      const { text: answer, status } = await callModel(gateway.origin, format, model, { body })
      assert.equal(status, 200, answer)
      assert.equal(
        hash(gateway.provider.calls[0]?.bytes),
        hash(body),
        gateway.provider.calls[0]?.bytes.toString(),
      )
      assert.equal(hash(answer), hash(whole))
    })

  for (const [format, stream] of streams)
    for (const sizeBytes of [1, 7, 100_000])
      test(`get streams unchanged to the byte: ${format.name}, in pieces of ${sizeBytes} bytes`, async () => {
        gateway.provider.calls.length = 0
        gateway.provider.answer = (_, res) => {
          res.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
          for (let at = 0; at < stream.length; at += sizeBytes) res.write(stream.slice(at, at + sizeBytes))
          res.end()
        }
        const [, model = '', text = ''] = bodies.find(([one]) => one === format) ?? []
        const body = text.replace('STREAM', 'true')
        const asked =
          format === generateContent
            ? { ...format, path: () => `/v1beta/models/${model}:streamGenerateContent?alt=sse` }
            : format
        const { text: answer, headers } = await callModel(gateway.origin, asked, model, { body })
        assert.equal(headers['content-type'], 'text/event-stream; charset=utf-8')
        assert.equal(
          hash(gateway.provider.calls[0]?.bytes),
          hash(body),
          gateway.provider.calls[0]?.bytes.toString(),
        )
        assert.equal(hash(answer), hash(stream), answer)
      })

  test('keep every byte except the model name', async () => {
    gateway.provider.calls.length = 0
    gateway.provider.answer = { headers: { 'content-type': 'application/json' }, body: whole }
    const [, , text = ''] = bodies[0] ?? []
    const body = text.replace('STREAM', 'false')
    await callModel(gateway.origin, messages, 'pinned', { body: body.replace('"claude-x"', '"pinned"') })
    assert.equal(gateway.provider.calls[0]?.bytes.toString(), body.replace('"claude-x"', '"claude-other"'))
  })

  test("keep the client's headers for the provider", async () => {
    gateway.provider.calls.length = 0
    const headers = {
      'anthropic-beta': 'a-2025-01-01,b-2025-01-01',
      'anthropic-version': '2023-01-01',
      'x-stainless-lang': 'js',
      'user-agent': 'claude-cli/1',
      'x-app': 'cli',
    }
    await callModel(gateway.origin, messages, 'claude-x', { headers, query: '?beta=true' })
    const [call] = gateway.provider.calls
    assert.partialDeepStrictEqual(call?.headers, headers)
    assert.equal(call?.path, '/v1/messages?beta=true')
    await callModel(gateway.origin, messages, 'claude-x')
    assert.equal(gateway.provider.calls[1]?.headers['anthropic-version'], '2023-06-01')
  })
})
