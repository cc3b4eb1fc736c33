import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import {
  callModel,
  assertRefused,
  completions,
  converse,
  generateContent,
  messages,
} from '../../support/llm/client-formats.ts'
import { recordedGateway } from '../../support/llm/recorded-gateway.ts'

const configuration = (host: string) => `llm:
  models:
    - { name: 'claude*', provider: anthropic, params: { hostOverride: "${host}", pathPrefix: /v1 } }
    - { name: 'gemini*', provider: gemini, params: { hostOverride: "${host}" } }
    - { name: 'google/*', provider: openAI, params: { hostOverride: "${host}" } }
    - { name: 'eu.*', provider: bedrock, params: { awsRegion: eu-west-1, hostOverride: "${host}" }, auth: { key: k } }
  virtualModels:
    - name: stands-for-another
      routing: { weighted: { targets: [{ model: gemini-9 }] } }
    - name: stands-for-bedrock
      routing: { weighted: { targets: [{ model: "eu.a/b:1" }] } }
`

const vertex = (publisher: string, method: string) => ({
  path: (model: string) => `/v1/projects/p/locations/eu/publishers/${publisher}/models/${model}:${method}`,
  body: () => ({
    anthropic_version: 'vertex-2023-10-16',
    messages: [{ role: 'user', content: 'hi' }],
    max_tokens: 9,
  }),
})

suite('the model in the path of a request', () => {
  const gateway = recordedGateway(configuration)

  const sent = async (...[format, model, more]: [Parameters<typeof callModel>[1], string, object?]) => {
    gateway.provider.calls.length = 0
    const { text } = await callModel(gateway.origin, format, model, more)
    const [call] = gateway.provider.calls
    assert.ok(call, text)
    const body = JSON.parse(call.bytes.toString() || '{}') as { model?: string; stream?: boolean }
    return [call.path, body.model, body.stream]
  }

  test('of Vertex is moved to the body for providers that expect it there', async () => {
    const asked = vertex('anthropic', 'rawPredict')
    assert.deepEqual((await sent(asked, 'claude-x@20250101')).slice(0, 2), [
      '/v1/messages',
      'claude-x@20250101',
    ])
  })

  test('of Vertex requests a stream by its method', async () => {
    const [path, model, stream] = await sent(vertex('anthropic', 'streamRawPredict'), 'claude-x')
    assert.deepEqual([path, model, stream], ['/v1/messages', 'claude-x', true])
  })

  test('of Gemini stays in the path, and is replaced there', async () => {
    assert.deepEqual((await sent(generateContent, 'gemini-1')).slice(0, 2), [
      '/v1beta/models/gemini-1:generateContent',
      undefined,
    ])
    assert.deepEqual((await sent(generateContent, 'stands-for-another')).slice(0, 2), [
      '/v1beta/models/gemini-9:generateContent',
      undefined,
    ])
  })

  test('of Bedrock stays in the path, percent-encoded', async () => {
    assert.equal((await sent(converse, 'eu.a:1'))[0], '/model/eu.a%3A1/converse')
    assert.equal((await sent(converse, 'stands-for-bedrock'))[0], '/model/eu.a%2Fb:1/converse')
  })

  test('overrides the body', async () => {
    const fields = { model: 'nobody' }
    assert.equal((await sent(vertex('anthropic', 'rawPredict'), 'claude-x', { fields }))[1], 'claude-x')
    assert.equal(
      (await sent(generateContent, 'gemini-1', { fields }))[0],
      '/v1beta/models/gemini-1:generateContent',
    )
    const message = 'Model not found: nobody. GET /v1/models lists the models'
    const refused = { status: 404, code: 'model_not_found', message }
    for (const format of [generateContent, converse])
      assertRefused(
        await callModel(gateway.origin, format, 'nobody', { fields: { model: 'gemini-1' } }),
        format,
        refused,
      )
  })

  test('chooses the provider for passthrough methods, too', async () => {
    const predict = {
      path: (model: string) => `/v1beta/models/${model}:predict`,
      body: () => ({ instances: [] }),
    }
    assert.equal((await sent(predict, 'gemini-1'))[0], '/v1beta/models/gemini-1:predict')
    assert.equal((await sent(predict, 'stands-for-another'))[0], '/v1beta/models/gemini-9:predict')
    const { status } = await callModel(gateway.origin, predict, 'nobody')
    assert.equal(status, 404)
    const invoke = {
      path: (model: string) => `/model/${encodeURIComponent(model)}/invoke`,
      body: () => ({ a: 1 }),
    }
    assert.equal((await sent(invoke, 'eu.a'))[0], '/model/eu.a/invoke')
  })

  test('of Gemini can stream as SSE only', async () => {
    const asked = {
      ...generateContent,
      path: (model: string) => `/v1beta/models/${model}:streamGenerateContent`,
    }
    const { status, text } = await callModel(gateway.origin, asked, 'gemini-1')
    assert.equal(status, 400)
    assert.equal((JSON.parse(text) as { error: { status: string } }).error.status, 'INVALID_ARGUMENT')
  })

  test('is not read from other paths', async () => {
    const odd = { ...completions, path: () => '/models/gemini-1:x/v1/chat/completions' }
    assert.equal((await sent(odd, 'google/llama:8b'))[1], 'google/llama:8b')
    const named = { ...messages, path: () => '/v1/messages?model=gemini-1' }
    assert.equal((await sent(named, 'claude-x'))[1], 'claude-x')
  })
})
