import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { sendRequest, type RequestParts } from '../../support/send-request.ts'
import { anyPorts, type Daemon, startDaemon } from '../../support/daemon.ts'
import { clientFormats, callModel, complete } from '../../support/llm/client-formats.ts'

/** Each entry has its own model name, so that replies show which one was chosen. */
const configuration = `${anyPorts}
gateways:
  default: { address: 127.0.0.1, port: 0 }
llm:
  policies:
    apiKey:
      mode: optional
      location: { header: { name: x-badge } }
      keys:
        - { key: k-gpt, allowedModels: ['gpt-*', exact] }
        - { key: k-mini, allowedModels: ['*-mini'] }
        - { key: k-none, allowedModels: [] }
        - { key: k-all, metadata: { team: red } }
  models:
    - { name: '*', provider: mock, params: { model: any } }
    - { name: 'gpt-*', provider: mock, params: { model: gpt } }
    - { name: '*-mini', provider: mock, params: { model: mini } }
    - { name: 'gpt-4*', provider: mock, params: { model: gpt-4 } }
    - { name: 'gpt-4o-mini', provider: mock, params: { model: exact } }
    - { id: gold, name: exact, provider: mock, params: { model: gold }, matches: [{ headers: [{ name: x-tier, value: { exact: gold } }] }] }
    - { id: usual, name: exact, provider: mock, params: { model: usual } }
    - { name: hidden-one, provider: mock, params: { model: hidden }, visibility: internal }
    - { name: red-team, provider: mock, params: { model: red }, authorization: { rules: ["apiKey.team == 'red'"] } }
`

/** The model that replied. */
const served = async (
  origin: string,
  model: string,
  headers: RequestParts['headers'] = {},
): Promise<string> => {
  const { status, text } = await complete(origin, model, { headers })
  const said = JSON.parse(text) as { model?: string; error?: { code: string } }
  return said.model ?? `${status} ${said.error?.code}`
}

suite('the requested model', { concurrency: 8 }, () => {
  let daemon: Daemon
  let origin: string
  before(async () => {
    daemon = await startDaemon(configuration)
    origin = daemon.url('default')
  })
  after(() => daemon[Symbol.asyncDispose]())

  for (const [model, expected, headers] of [
    ['gpt-4o-mini', 'exact'],
    ['gpt-4o', 'gpt-4'],
    ['gpt-4-mini', 'mini'],

    ['gpt-3-mini', 'mini'],
    ['gpt-3', 'gpt'],
    ['o3-mini', 'mini'],
    ['o3', 'any'],
    ['GPT-4o', 'any'],
    ['exact', 'usual'],
    ['exact', 'gold', { 'x-tier': 'gold' }],
    ['exact', 'usual', { 'x-tier': 'silver' }],
    ['hidden-one', 'any'],
    ['red-team', 'any'],
    ['red-team', 'red', { 'x-badge': 'k-all' }],
    ['gpt-9', 'gpt', { 'x-badge': 'k-gpt' }],
    ['exact', 'usual', { 'x-badge': 'k-gpt' }],
    ['o3', '403 model_not_allowed', { 'x-badge': 'k-gpt' }],
    ['gpt-3-mini', 'mini', { 'x-badge': 'k-mini' }],
    ['gpt-3', '403 model_not_allowed', { 'x-badge': 'k-mini' }],
    ['gpt-3', '403 model_not_allowed', { 'x-badge': 'k-none' }],
    ['anything', 'any', { 'x-badge': 'k-all' }],
  ] as const)
    test(`${model}${headers ? ` with ${JSON.stringify(headers)}` : ''} resolves to ${expected}`, async () => {
      assert.equal(await served(origin, model, headers), expected)
    })

  test('is resolved in every format', async () => {
    for (const format of clientFormats.filter(({ name }) => name !== 'converse')) {
      const { status, text } = await callModel(origin, format, 'gpt-4o')
      assert.equal(status, 200, `${format.name}: ${text}`)
      const said = JSON.parse(text) as { model?: string; modelVersion?: string }
      assert.equal(said.model ?? said.modelVersion, 'gpt-4', format.name)
    }
  })

  const listed = async (path: string, badge?: string) => {
    const { text, status, headers } = await sendRequest(
      origin,
      path,
      badge ? { headers: { 'x-badge': badge } } : {},
    )
    assert.equal(status, 200)
    assert.equal(headers['content-type'], 'application/json')
    const list = JSON.parse(text) as {
      object: string
      data: { id: string; object: string; created: number; owned_by: string }[]
    }
    assert.equal(list.object, 'list')
    for (const one of list.data) {
      assert.deepEqual([one.object, one.owned_by], ['model', 'openai'])
      assert.ok(Math.abs(one.created - Date.now() / 1000) < 600)
    }
    return list.data.map(({ id }) => id).sort()
  }

  const everybodys = ['*', '*-mini', 'exact', 'gpt-*', 'gpt-4*', 'gpt-4o-mini']

  test('is in a list of the models that the caller may use', async () => {
    assert.deepEqual(await listed('/v1/models'), everybodys)
    assert.deepEqual(await listed('/v1/models', 'k-all'), [...everybodys, 'red-team'])
    assert.deepEqual(await listed('/v1/models', 'k-none'), [])
    assert.deepEqual(await listed('/v1/models', 'k-gpt'), [
      '*',
      '*-mini',
      'exact',
      'gpt-*',
      'gpt-4*',
      'gpt-4o-mini',
    ])
    assert.deepEqual(await listed('/v1/models', 'k-mini'), ['*', '*-mini', 'gpt-*', 'gpt-4*', 'gpt-4o-mini'])
  })

  test('is in the same list on all of its paths', async () => {
    for (const path of ['/models', '/v1/models/', '/v1/models?limit=1'])
      assert.deepEqual(await listed(path), everybodys, path)
  })
})
