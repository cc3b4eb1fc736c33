import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { type ReceivedResponse, sendRequest } from '../../support/send-request.ts'
import { anyPorts, type Daemon, startDaemon } from '../../support/daemon.ts'
import { json, startProviders, type ScriptedProviders } from '../../support/llm/scripted-providers.ts'

const notFound = { type: 'error', error: { type: 'not_found_error', message: 'no such model' } }
const tooOften = { error: { code: 429, message: 'slow down', status: 'RESOURCE_EXHAUSTED' } }

const scripts = {
  counting: json(200, { input_tokens: 4711 }),
  missing: json(404, notFound),
  busy: json(429, tooOften, { 'retry-after': '7' }),
}

suite('token count requests', () => {
  let daemon: Daemon
  let providers: ScriptedProviders<keyof typeof scripts>
  before(async () => {
    providers = await startProviders(scripts)
    const own = (name: keyof typeof scripts, formats: string) =>
      `{ name: ${name}, provider: { custom: { formats: [${formats}] } }, params: { baseUrl: "${providers.baseUrl(name)}" } }`
    daemon = await startDaemon(`${anyPorts}
gateways:
  default: { address: 127.0.0.1, port: 0 }
llm:
  gateways: [default]
  models:
    - { name: estimated, provider: { mock: { formats: [completions] } } }
    - { name: mock, provider: mock }
    - ${own('counting', '{ type: messages }, { type: anthropicTokenCount }')}
    - ${own('missing', '{ type: messages }, { type: anthropicTokenCount }')}
    - { name: busy, provider: gemini, params: { baseUrl: "${providers.baseUrl('busy')}", apiKey: k } }
    - { name: claude-busy, provider: vertex, params: { vertexProject: p, model: claude-sonnet-4, baseUrl: "${providers.baseUrl('busy')}", apiKey: k } }
  virtualModels:
    - { name: either, routing: { failover: { targets: [{ model: estimated, priority: 0 }, { model: counting, priority: 1 }] } } }
`)
  })
  after(async () => {
    await daemon.stop('SIGKILL')
    await providers[Symbol.asyncDispose]()
  })

  const post = async (target: string, body: object): Promise<ReceivedResponse & { said: unknown }> => {
    const answer = await sendRequest(daemon.url('default'), target, {
      method: 'POST',
      body: JSON.stringify(body),
    })
    return { ...answer, said: JSON.parse(answer.text) }
  }
  const anthropic = (model: string, content: unknown = 'one two three') =>
    post('/v1/messages/count_tokens', { model, messages: [{ role: 'user', content }] })
  const gemini = (model: string) =>
    post(`/v1beta/models/${model}:countTokens`, {
      contents: [{ role: 'user', parts: [{ text: 'one two three' }] }],
    })
  const label = ({ headers }: ReceivedResponse) => headers['x-gateway-token-count']

  test('are forwarded to a provider that counts', async () => {
    const answer = await anthropic('counting')
    assert.deepEqual([answer.status, answer.said, label(answer)], [200, { input_tokens: 4711 }, undefined])
    assert.equal(providers.asked('counting')[0]?.url, '/counting/v1/messages/count_tokens')
    assert.equal((await anthropic('mock')).status, 200)
  })

  test('are estimated and labelled as such if no provider counts', async () => {
    const answer = await anthropic('estimated')
    // Three words plus the overhead of a message.
    assert.deepEqual([answer.status, answer.said, label(answer)], [200, { input_tokens: 9 }, 'estimate'])
    assert.equal(answer.headers['content-type'], 'application/json')
    const other = await gemini('estimated')
    assert.deepEqual([other.status, other.said, label(other)], [200, { totalTokens: 9 }, 'estimate'])
  })

  test('go to the one of several providers that counts', async () => {
    const answer = await anthropic('either')
    assert.deepEqual([answer.said, label(answer)], [{ input_tokens: 4711 }, undefined])
  })

  test("are refused in the client's format if they are malformed", async () => {
    const { status, said } = await anthropic('estimated', 5)
    assert.equal(status, 400)
    assert.partialDeepStrictEqual(said, { type: 'error', error: { type: 'invalid_request_error' } })
  })

  test("return provider failures in the client's format", async () => {
    const missing = await anthropic('missing')
    assert.equal(missing.status, 404)
    assert.partialDeepStrictEqual(missing.said, notFound)
    const busy = await gemini('busy')
    assert.deepEqual([busy.status, busy.said, busy.headers['retry-after']], [429, tooOften, '7'])
    const claude = await anthropic('claude-busy')
    assert.deepEqual([claude.status, claude.headers['retry-after']], [429, '7'])
    assert.partialDeepStrictEqual(claude.said, {
      type: 'error',
      error: { type: 'rate_limit_error', message: 'slow down' },
    })
    assert.match(String(providers.asked('busy').at(-1)?.url), /count-tokens:rawPredict$/)
  })
})
