import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import {
  callModel,
  completions,
  converse,
  embeddings,
  generateContent,
  messages,
  responses,
} from '../../support/llm/client-formats.ts'
import { recordedGateway } from '../../support/llm/recorded-gateway.ts'
import { jsonOf } from '../../support/llm/recording-provider.ts'

const configuration = (host: string) => `llm:
  providers:
    - { name: shared, provider: openAI, params: { baseUrl: "http://${host}/shared/v2", apiKey: k } }
  models:
    - { name: override, provider: openAI, params: { hostOverride: "${host}", pathOverride: "/fixed?x=1" } }
    - { name: prefix, provider: openAI, params: { hostOverride: "${host}", pathPrefix: /their/v9/ } }
    - { name: base, provider: openAI, params: { baseUrl: "http://${host}/api/" } }
    - { name: bare, provider: openAI, params: { baseUrl: "http://${host}" } }
    - { name: host, provider: openAI, params: { hostOverride: "${host}" } }
    - { name: claude, provider: anthropic, params: { baseUrl: "http://${host}/a/v1" } }
    - { name: gem, provider: gemini, params: { hostOverride: "${host}", pathPrefix: /g } }
    - { name: groq, provider: groq, params: { baseUrl: "http://${host}/openai/v1" } }
    - { name: declared, provider: { custom: { formats: [{ type: completions, path: /talk }, { type: embeddings }] } }, params: { hostOverride: "${host}" } }
    - { name: referred, provider: { reference: shared }, params: { model: their-name } }
    - name: vertex
      provider: vertex
      params: { vertexProject: p, vertexRegion: eu, hostOverride: "${host}", pathPrefix: /v, model: claude-v }
      auth: { key: k }
    - { name: br, provider: bedrock, params: { awsRegion: eu-west-1, hostOverride: "${host}", pathPrefix: /b, model: "a/b:1" }, auth: { key: k } }
    - { name: az, provider: azure, params: { azureResourceName: r, azureResourceType: openAI, azureApiVersion: "2024-10-21", hostOverride: "${host}", pathPrefix: /z }, auth: { key: k } }
`

const images = { ...completions, path: () => '/v1/images/generations' }
const files = { ...completions, path: () => '/v1/files' }
const sub = { ...completions, path: () => '/team/v1/chat/completions' }
const stream = {
  ...generateContent,
  path: (m: string) => `/v1beta/models/${m}:streamGenerateContent?alt=sse`,
}

suite('the path at a provider', () => {
  const gateway = recordedGateway(configuration)

  for (const [model, format, query, path] of [
    ['override', completions, '?a=b', '/fixed?x=1'],
    ['override', images, '', '/fixed?x=1'],
    ['prefix', completions, '?a=b&c', '/their/v9/chat/completions?a=b&c'],
    ['prefix', responses, '', '/their/v9/responses'],
    ['prefix', embeddings, '', '/their/v9/embeddings'],
    ['prefix', images, '', '/their/v9/images/generations'],
    ['base', completions, '', '/api/chat/completions'],
    ['bare', sub, '', '/chat/completions'],
    ['host', sub, '?a=b', '/team/v1/chat/completions?a=b'],
    ['host', messages, '', '/v1/chat/completions'],
    ['claude', messages, '', '/a/v1/messages'],
    ['claude', completions, '', '/a/v1/messages'],
    ['gem', generateContent, '', '/g/v1beta/models/gem:generateContent'],
    ['gem', stream, '', '/g/v1beta/models/gem:streamGenerateContent?alt=sse'],
    ['gem', completions, '', '/g/v1beta/models/gem:generateContent'],
    ['groq', completions, '', '/openai/v1/chat/completions'],
    ['declared', completions, '', '/talk'],
    ['declared', embeddings, '', '/v1/embeddings'],
    ['referred', completions, '', '/shared/v2/chat/completions'],
    ['vertex', messages, '', '/v/v1/projects/p/locations/eu/publishers/anthropic/models/claude-v:rawPredict'],
    ['br', converse, '', '/b/model/a%2Fb:1/converse'],
    ['br', completions, '', '/b/model/a%2Fb:1/converse'],
    ['az', completions, '', '/z/openai/deployments/az/chat/completions?api-version=2024-10-21'],
  ] as const)
    test(`of ${model} is ${path} for ${format.path('MODEL')}${query}`, async () => {
      gateway.provider.calls.length = 0
      await callModel(gateway.origin, format, model, { query })
      assert.equal(gateway.provider.calls[0]?.path, path)
      assert.equal(gateway.provider.calls.length, 1)
    })

  test('is called with the model that a reference pins', async () => {
    gateway.provider.calls.length = 0
    await callModel(gateway.origin, completions, 'referred')
    const [call] = gateway.provider.calls
    assert.ok(call)
    assert.equal(jsonOf(call).model, 'their-name')
    assert.equal(call.headers.authorization, 'Bearer k')
  })

  test('cannot lead to another host', async () => {
    for (const path of ['//evil.example/v1/chat/completions', '/v1/../../x/v1/chat/completions']) {
      gateway.provider.calls.length = 0
      const { status } = await callModel(gateway.origin, { ...completions, path: () => path }, 'host')
      // What is not refused arrives here.
      assert.equal(gateway.provider.calls.length, status === 200 ? 1 : 0)
      assert.ok(status === 200 || status === 400, String(status))
    }
  })

  test('is refused without a model', async () => {
    const { status, text } = await callModel(gateway.origin, files, '', { body: '{}' })
    assert.equal(status, 400)
    assert.match(text, /missing_model/)
  })
})
