import Anthropic from '@anthropic-ai/sdk'
import { GoogleGenAI } from '@google/genai'
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import OpenAI from 'openai'
import { sendRequest } from '../../support/send-request.ts'
import { anyPorts, type Daemon, startDaemon } from '../../support/daemon.ts'

const keys = [
  { key: 'all' },
  { key: 'some', allowedModels: ['small', 'gpt-4*'] },
  { key: 'none', allowedModels: [] },
]
const configuration = `${anyPorts}
gateways: { default: { port: 0, address: 127.0.0.1 } }
frontendPolicies: { http: { path: { encodedSlashes: keep } } }
llm:
  policies: { apiKey: { mode: optional, keys: ${JSON.stringify(keys)} } }
  models:
    - { name: small, provider: mock }
    - { name: org/large, provider: mock }
    - { name: 'llama3:8b', provider: mock }
    - { name: 'gpt-*', provider: mock }
    - { name: hidden, provider: mock, visibility: internal }
    - { name: guarded, provider: mock, authorization: { rules: ["apiKey.key == 'nobody'"] } }
  virtualModels:
    - { name: either, routing: { weighted: { targets: [{ model: small }] } } }
`

suite('GET /v1/models/{model}', () => {
  let daemon: Daemon
  before(async () => {
    daemon = await startDaemon(configuration)
  })
  after(() => daemon.stop('SIGKILL'))

  const get = async (path: string, headers: Record<string, string> = {}, method = 'GET') => {
    const { status, text } = await sendRequest(daemon.url('default'), path, { headers, method })
    return { status, body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>) }
  }

  for (const [path, id] of [
    ['/v1/models/small', 'small'],
    ['/models/small', 'small'],
    ['/v1/models/org/large', 'org/large'],
    ['/v1/models/org%2Flarge', 'org/large'],
    ['/v1/models/llama3:8b', 'llama3:8b'],
    ['/v1/models/llama3%3A8b', 'llama3:8b'],
    ['/v1/models/gpt-5', 'gpt-5'],
    ['/v1/models/either', 'either'],
  ])
    test(`finds ${id} at ${path}`, async () => {
      const { status, body } = await get(String(path))
      assert.equal(status, 200)
      assert.deepEqual([body.id, body.object], [id, 'model'])
    })

  for (const path of [
    ...['nothing', 'smal', 'small/', 'small/x', 'hidden', 'guarded', '%FF', 'constructor'].map(
      (name) => `/v1/models/${name}`,
    ),
    '/v1beta/models/nothing',
  ])
    test(`replies with 404 at ${path}`, async () => {
      const { status, body } = await get(path)
      assert.equal(status, 404)
      assert.match(JSON.stringify(body.error), /Model not found/)
    })

  test('hides models that the key of the caller does not allow', async () => {
    const as = async (key: string, name: string) =>
      (await get(`/v1/models/${name}`, { authorization: `Bearer ${key}` })).status
    assert.deepEqual(
      [await as('some', 'small'), await as('some', 'gpt-4o'), await as('all', 'gpt-5')],
      [200, 200, 200],
    )
    assert.deepEqual(
      [await as('some', 'gpt-5'), await as('some', 'either'), await as('none', 'small')],
      [404, 404, 404],
    )
  })

  test('works with the official clients, also for unknown models', async () => {
    const origin = daemon.url('default')
    const openAi = new OpenAI({ baseURL: `${origin}/v1`, apiKey: 'all', maxRetries: 0 })
    assert.equal((await openAi.models.retrieve('org/large')).id, 'org/large')
    await assert.rejects(openAi.models.retrieve('nothing'), OpenAI.NotFoundError)
    const anthropic = new Anthropic({ baseURL: origin, apiKey: 'all', authToken: null, maxRetries: 0 })
    const { type, id, display_name } = await anthropic.models.retrieve('small')
    assert.deepEqual([type, id, display_name], ['model', 'small', 'small'])
    await assert.rejects(anthropic.models.retrieve('nothing'), Anthropic.NotFoundError)
    for (const apiVersion of ['v1beta', 'v1']) {
      const google = new GoogleGenAI({ apiKey: 'all', httpOptions: { baseUrl: origin, apiVersion } })
      assert.equal((await google.models.get({ model: 'small' })).name, 'models/small')
      await assert.rejects(
        google.models.get({ model: 'nothing' }),
        (error: { status?: number }) => error.status === 404,
      )
    }
  })

  test('does not delete a model, or list models by mistake', async () => {
    for (const path of ['/v1/models/small', '/v1beta/models/small'])
      assert.notEqual((await get(path, {}, 'DELETE')).status, 200)
    assert.equal((await get('/v1/models/small', {}, 'HEAD')).status, 200)
    assert.ok(Array.isArray((await get('/v1/models')).body.data))
    assert.ok(Array.isArray((await get('/v1beta/models')).body.models))
  })
})
