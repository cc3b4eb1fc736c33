import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { ReceivedResponse } from '../../support/send-request.ts'
import {
  callModel,
  type ClientFormat,
  completions,
  embeddings,
  generateContent,
  messages,
  responses,
} from '../../support/llm/client-formats.ts'
import { startMocks } from '../../support/llm/mocks.ts'
import { recordedGateway } from '../../support/llm/recorded-gateway.ts'
import { conversed, jsonResponse } from '../../support/llm/recording-provider.ts'

const configuration = (host: string) => `llm:
  models:
    - { name: same, provider: { mock: { formats: [completions] } } }
    - { name: translated, provider: { mock: { formats: [messages] } } }
    - name: bedrock
      provider: bedrock
      params: { awsRegion: eu-west-1, hostOverride: "${host}" }
      auth: { key: k }
  virtualModels:
    - name: ends-with-the-same
      routing:
        failover: { targets: [{ model: translated, priority: 0 }, { model: same, priority: 1 }] }
`

const lossy = { logit_bias: { 1: 2 }, seed: 7, made_up_by_somebody: 1 }

suite('fields that a translation drops', { concurrency: 8 }, () => {
  const gateway = recordedGateway(configuration, jsonResponse(conversed))

  for (const stream of [false, true])
    test(`are listed in a header of ${stream ? 'a stream' : 'a whole reply'}, without names that the client made up`, async () => {
      const { status, headers } = await callModel(gateway.origin, completions, 'translated', {
        fields: { ...lossy, stream },
      })
      assert.equal(status, 200)
      assert.deepEqual(named(headers), ['logit_bias', 'seed', 'unknown'])
    })

  test('are listed in error replies as well', async () => {
    const content = 'mock:error 400'
    const { status, headers } = await callModel(gateway.origin, completions, 'translated', {
      fields: { ...lossy, messages: [{ role: 'user', content }] },
    })
    assert.equal(status, 400)
    assert.deepEqual(named(headers), ['logit_bias', 'seed', 'unknown'])
  })

  test("are listed by their names in the client's format", async () => {
    await using mocks = await startMocks()
    const lostOf = async (format: ClientFormat, model: string, fields: object): Promise<string[]> => {
      const { status, headers, text } = await callModel(mocks.origin, format, model, { fields })
      assert.equal(status, 200, text)
      return named(headers)
    }
    assert.deepEqual(
      await lostOf(generateContent, 'by-completions', { generationConfig: { topK: 3, seed: 1 } }),
      ['generationConfig.topK'],
    )
    const stop = { stop_sequences: ['x'], metadata: { user_id: 'u'.repeat(100) } }
    assert.deepEqual(await lostOf(messages, 'by-responses', stop), ['metadata.user_id', 'stop_sequences'])
    const format = { type: 'json_schema', name: 'n', schema: { type: 'object' } }
    assert.deepEqual(await lostOf(responses, 'by-messages', { text: { format } }), ['text.format.name'])
  })

  test('are not listed if nothing is translated', async () => {
    for (const stream of [false, true]) {
      const { status, headers } = await callModel(gateway.origin, completions, 'same', {
        fields: { ...lossy, stream },
      })
      assert.equal(status, 200)
      assert.equal(headers['x-gateway-dropped'], undefined)
    }
  })

  test('are not listed if nothing is dropped', async () => {
    const { headers } = await callModel(gateway.origin, completions, 'translated', {
      fields: { temperature: 0.5 },
    })
    assert.equal(headers['x-gateway-dropped'], undefined)
  })

  test('are not listed if a provider that needs no translation responds instead', async () => {
    const content = 'mock@translated:error 503'
    const { status, headers } = await callModel(gateway.origin, completions, 'ends-with-the-same', {
      fields: { ...lossy, messages: [{ role: 'user', content }] },
    })
    assert.equal(status, 200)
    assert.equal(headers['x-gateway-dropped'], undefined)
  })

  test('are listed for other clients and providers', async () => {
    const { status, headers, text } = await callModel(gateway.origin, messages, 'bedrock', {
      fields: { service_tier: 'auto', container: 'c' },
    })
    assert.equal(status, 200, text)
    assert.ok(named(headers).length > 0)
    const embedded = await callModel(gateway.origin, embeddings, 'same', { fields: { user: 'u' } })
    assert.equal(embedded.status, 400, 'a provider that has no embeddings')
  })
})

const named = (headers: ReceivedResponse['headers']): string[] =>
  String(headers['x-gateway-dropped'] ?? '')
    .split(', ')
    .sort()
