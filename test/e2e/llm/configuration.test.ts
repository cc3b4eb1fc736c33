import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyPorts, startDaemon } from '../../support/daemon.ts'
import { completion, jsonResponse, jsonOf, startProvider } from '../../support/llm/recording-provider.ts'

const chat = async (url: string, path: string, body: object, headers: Record<string, string> = {}) => {
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
  })
  return { status: response.status, headers: response.headers, json: await response.json() }
}

const hello = [{ role: 'user', content: 'Hello' }]

test('a model of the section llm is called as configured', async () => {
  await using provider = await startProvider({
    ...jsonResponse(completion),
    headers: { 'content-type': 'application/json', 'x-provider': 'yes' },
  })
  await using daemon = await startDaemon(`${anyPorts}
gateways: { default: { port: 0, address: 127.0.0.1 } }
llm:
  providers:
    - name: house
      provider: openai
      params: { baseUrl: 'http://${provider.host}/base', apiKey: sk-of-the-gateway }
      defaults: { defaults: { temperature: 0.5, seed: 1 }, requestHeaders: { set: { x-team: blue } } }
  models:
    - name: fast
      provider: { reference: house }
      params: { model: large }
      defaults: { temperature: 1 }
      overrides: { store: false }
      transformation: { user: '"who: " + request.headers["x-who"]' }
      responseHeaders: { remove: [x-provider], set: { x-house: 'true' } }
    - name: fast
      provider: mock
      matches: [{ headers: [{ name: x-to, value: { exact: mock } }] }]
    - { name: hidden, provider: mock, visibility: internal }
  virtualModels:
    - { name: both, routing: { failover: { targets: [{ model: hidden, priority: 0 }] } } }
`)
  const url = daemon.url('default')
  const { status, headers, json } = await chat(
    url,
    '/v1/chat/completions',
    { model: 'fast', messages: hello, seed: 7 },
    { authorization: 'Bearer of-the-client', 'x-who': 'me' },
  )
  assert.equal(status, 200, JSON.stringify(json))
  assert.deepEqual([headers.get('x-provider'), headers.get('x-house')], [null, 'true'])
  const [asked] = provider.calls
  assert.ok(asked)
  assert.equal(asked.path, '/base/chat/completions')
  assert.equal(asked.headers.authorization, 'Bearer sk-of-the-gateway')
  assert.equal(asked.headers['x-team'], 'blue')
  assert.deepEqual(jsonOf(asked), {
    model: 'large',
    messages: hello,
    seed: 7,
    temperature: 1,
    store: false,
    user: 'who: me',
  })

  const models = (await (await fetch(`${url}/v1/models`)).json()) as { data: { id: string }[] }
  assert.deepEqual([...new Set(models.data.map(({ id }) => id))], ['fast', 'both'])
  assert.equal((await chat(url, '/v1/chat/completions', { model: 'hidden', messages: hello })).status, 404)
  const virtual = await chat(url, '/v1/chat/completions', { model: 'both', messages: hello })
  assert.equal(virtual.status, 200, JSON.stringify(virtual.json))
})

test('a backend ai merges the settings of route, backend and provider, the nearest first', async () => {
  await using broken = await startProvider(jsonResponse({}, 500))
  await using working = await startProvider()
  await using daemon = await startDaemon(`${anyPorts}
gateways: { default: { port: 0, address: 127.0.0.1 } }
routes:
  - name: models
    policies:
      backendAuth: { key: sk-of-the-route }
      ai:
        routes: { /chat: completions, '*': passthrough }
        defaults: { a: route, b: route, c: route }
        modelAliases: { fast: large }
        prompts: { prepend: [{ role: system, content: Be brief. }] }
    backends:
      - backend: models
        policies: { ai: { defaults: { b: place, c: place } } }
backends:
  - name: models
    ai:
      groups:
        - providers:
            - { name: broken, hostOverride: '${broken.host}', provider: { openAI: {} } }
        - providers:
            - name: working
              hostOverride: '${working.host}'
              pathPrefix: /v1
              provider: { custom: { formats: [{ type: completions, path: /own }] } }
              policies: { backendAuth: { key: sk-of-the-provider }, ai: { defaults: { c: provider } } }
`)
  const { status, json } = await chat(daemon.url('default'), '/chat', { model: 'fast', messages: hello })
  assert.equal(status, 200, JSON.stringify(json))
  const [first] = broken.calls
  assert.ok(first)
  assert.equal(first.headers.authorization, 'Bearer sk-of-the-route')
  assert.equal(jsonOf(first).c, 'place')
  const [second] = working.calls
  assert.ok(second)
  assert.equal(second.path, '/own')
  assert.equal(second.headers.authorization, 'Bearer sk-of-the-provider')
  assert.deepEqual(jsonOf(second), {
    model: 'large',
    messages: [{ role: 'system', content: 'Be brief.' }, ...hello],
    a: 'route',
    b: 'place',
    c: 'provider',
  })
})

test('a section llm on its own port reloads prices and models', async () => {
  const config = (model: string): string => `${anyPorts}
  modelCatalog: [{ inline: { providers: { mock: { models: { ${model}: { rates: { input: 1, output: 1 } } } } } } }]
llm:
  port: 0
  models: [{ name: ${model}, provider: mock }]
`
  await using daemon = await startDaemon(config('one'))
  const url = daemon.url('default')
  assert.equal((await chat(url, '/v1/chat/completions', { model: 'one', messages: hello })).status, 200)
  daemon.rewrite(config('two'))
  await daemon.printed(/(?:configuration in force[^]*){2}/)
  assert.equal((await chat(url, '/v1/chat/completions', { model: 'one', messages: hello })).status, 404)
  assert.equal((await chat(url, '/v1/chat/completions', { model: 'two', messages: hello })).status, 200)
  const dump = await (await fetch(`${daemon.url('admin')}/config_dump`)).text()
  assert.match(dump, /"mock":\s*\{\s*"models":\s*1\s*\}/)
})
