import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { sendRequest, type RequestParts } from '../../support/send-request.ts'
import { anyPorts, type Daemon, startDaemon } from '../../support/daemon.ts'
import {
  callModel,
  assertRefused,
  clientFormats,
  complete,
  completions,
  embeddings,
} from '../../support/llm/client-formats.ts'
import {
  completion,
  jsonResponse,
  jsonOf,
  type RecordingProvider,
  startProvider,
} from '../../support/llm/recording-provider.ts'

const priced = { rates: { input: '1', output: '2' } }
const catalog = {
  providers: {
    openai: {
      models: {
        known: priced,
        fallback: priced,
        'claude-known': priced,
        'input-only': { rates: { input: '1' } },
        'output-only': { rates: { output: '1' } },
        empty: {},
        free: { rates: { input: '0', output: '0' } },
      },
    },
    mock: { models: { counted: priced } },
    'aws.bedrock': { models: { 'known-claude': priced } },
  },
}

const configuration = (host: string, unknownPrice: string) => {
  const openai = (name: string, more: object = {}) => ({
    name,
    provider: 'openAI',
    params: { hostOverride: host, apiKey: 'sk' },
    ...more,
  })
  const virtual = (name: string, ...models: readonly string[]) => ({
    name,
    routing: { failover: { targets: models.map((model, priority) => ({ model, priority })) } },
  })
  const models = [
    openai('known'),
    openai('fallback', { requestHeaders: { set: { 'x-second': '1' } } }),
    openai('named', { params: { hostOverride: host, apiKey: 'sk', model: 'known' } }),
    openai('overridden', { overrides: { model: 'secret-model' } }),
    openai('by-client', { transformation: { model: 'llmRequest.user' } }),
    openai('by-client-last', {
      params: { hostOverride: host, apiKey: 'sk', model: 'known' },
      finalTransformation: { model: 'llmRequest.user' },
    }),
    {
      name: 'known-claude',
      provider: 'bedrock',
      params: { baseUrl: `http://${host}`, awsRegion: 'eu-west-1' },
      auth: { aws: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret' } },
    },
    {
      name: 'unknown-claude',
      provider: 'bedrock',
      params: { baseUrl: `http://${host}`, awsRegion: 'eu-west-1' },
      auth: { aws: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret' } },
    },
    { name: 'counted', provider: 'mock' },
    { name: 'uncounted', provider: 'mock' },
    openai('*'),
  ]
  const virtualModels = [
    virtual('cheap', 'unknown', 'known'),
    virtual('steady', 'known', 'unknown', 'fallback'),
    virtual('last', 'known', 'unknown'),
    virtual('nobody', 'unknown', 'unheard'),
  ]
  const group = (model: string) => ({
    providers: [{ name: model, hostOverride: host, provider: { openAI: { model } } }],
  })
  const routes = [
    {
      gateways: ['routed'],
      policies: { ai: { modelAliases: { alias: 'known', nickname: 'unknown' } } },
      matches: [{ path: { pathPrefix: '/alias' } }],
      backends: [{ ai: { name: 'aliased', hostOverride: host, provider: { openAI: {} } } }],
    },
    {
      gateways: ['routed'],
      policies: { ai: { routes: { '/responses/compact': 'detect' } } },
      matches: [{ path: { pathPrefix: '/detected' } }],
      backends: [{ ai: { name: 'detected', hostOverride: host, provider: { openAI: {} } } }],
    },
    {
      gateways: ['routed'],
      matches: [{ path: { pathPrefix: '/groups' } }],
      backends: [{ ai: { groups: [group('unknown'), group('known')] } }],
    },
  ]
  return `${anyPorts}
  unknownPrice: ${unknownPrice}
  modelCatalog: [{ inline: ${JSON.stringify(catalog)} }]
gateways:
  default: { address: 127.0.0.1, port: 0 }
  routed: { address: 127.0.0.1, port: 0 }
llm: ${JSON.stringify({ gateways: ['default'], models, virtualModels })}
routes: ${JSON.stringify(routes)}
`
}

const ofModel = {
  status: 403,
  code: 'unknown_price',
  message: 'the price of the model is unknown, and such models are not asked',
}
const ofRequest = {
  ...ofModel,
  message: 'the price of such a request cannot be known, and such requests are not passed on',
}
const upgrade = {
  method: 'GET',
  headers: {
    connection: 'upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
  },
}

suite('models with an unknown price', { concurrency: false }, () => {
  let provider: RecordingProvider
  let daemon: Daemon
  before(async () => {
    provider = await startProvider()
    daemon = await startDaemon(configuration(provider.host, 'deny'))
  })
  after(async () => {
    await daemon[Symbol.asyncDispose]()
    await provider[Symbol.asyncDispose]()
  })

  /** The models that were called. */
  const asked = () => provider.calls.splice(0).map((call) => jsonOf(call).model)
  const nobodyAsked = () => {
    assert.deepEqual(provider.calls.splice(0), [])
  }
  const origin = () => daemon.url('default')
  const at = (path: string, more: RequestParts = {}) =>
    sendRequest(origin(), path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"model":"known"}',
      ...more,
    })

  test('are refused in every client format', async () => {
    for (const format of clientFormats)
      for (const model of [
        'unknown',
        'empty',
        'output-only',
        'nobody',
        'constructor',
        '__proto__',
        'uncounted',
      ])
        assertRefused(await callModel(origin(), format, model), format, ofModel)
    nobodyAsked()
  })

  test('are refused for streams', async () => {
    for (const format of clientFormats.filter(
      ({ name }) => !['embeddings', 'converse', 'generateContent'].includes(name),
    ))
      assertRefused(
        await callModel(origin(), format, 'unknown', { fields: { stream: true } }),
        format,
        ofModel,
      )
    nobodyAsked()
  })

  test('are skipped if others are available', async () => {
    assert.equal((await complete(origin(), 'cheap')).status, 200)
    assert.deepEqual(asked(), ['known'])
    for (const path of ['/groups', '/groups/v1/chat/completions']) {
      const body = JSON.stringify(completions.body('any'))
      assert.equal((await sendRequest(daemon.url('routed'), path, { method: 'POST', body })).status, 200)
    }
    assert.deepEqual(asked(), ['known', 'known'])
  })

  test('are skipped in a failover, and the last error is returned', async () => {
    provider.answer = (call, res) => {
      const said = call.headers['x-second']
        ? jsonResponse(completion)
        : jsonResponse({ error: { message: 'busy' } }, 429)
      res.writeHead(said.status ?? 200, said.headers).end(said.body)
    }
    assert.equal((await complete(origin(), 'steady')).status, 200)
    assert.deepEqual(asked(), ['known', 'fallback'])
    const failed = await complete(origin(), 'last')
    assert.deepEqual([failed.status, failed.text.includes('busy')], [429, true])
    assert.deepEqual(asked(), ['known'])
    provider.answer = jsonResponse(completion)
  })

  test('are looked up by the name that the provider gets', async () => {
    assert.equal((await complete(origin(), 'named')).status, 200)
    assert.equal((await complete(origin(), 'by-client', { fields: { user: 'known' } })).status, 200)
    assert.equal((await complete(origin(), 'by-client-last', { fields: { user: 'known' } })).status, 200)
    assert.deepEqual(asked(), ['known', 'known', 'known'])
    assertRefused(await complete(origin(), 'overridden'), completions, ofModel)
    for (const model of ['by-client', 'by-client-last'])
      assertRefused(await complete(origin(), model, { fields: { user: 'unknown' } }), completions, ofModel)
    const alias = (model: string) =>
      sendRequest(daemon.url('routed'), '/alias', {
        method: 'POST',
        body: JSON.stringify(completions.body(model)),
      })
    assertRefused(await alias('nickname'), completions, ofModel)
    nobodyAsked()
    assert.equal((await alias('alias')).status, 200)
    assert.deepEqual(asked(), ['known'])
  })

  test('need an output rate only for requests with output', async () => {
    assertRefused(await complete(origin(), 'input-only'), completions, ofModel)
    nobodyAsked()
    assert.equal((await callModel(origin(), embeddings, 'input-only')).status, 200)
    assertRefused(await callModel(origin(), embeddings, 'output-only'), embeddings, ofModel)
    assert.equal((await complete(origin(), 'free')).status, 200)
    assert.deepEqual(asked(), ['input-only', 'free'])
  })

  test('may count tokens, and be listed', async () => {
    const count = { path: () => '/v1/messages/count_tokens', body: completions.body }
    for (const model of ['unknown', 'uncounted', 'known-claude', 'nobody'])
      assert.equal((await callModel(origin(), count, model)).status, 200, model)
    assert.equal((await sendRequest(origin(), '/v1/models')).status, 200)
    provider.calls.length = 0
  })

  test('are refused in passthrough, and so are requests without a model', async () => {
    const requests: readonly (readonly [string, RequestParts?])[] = [
      ['/v1/images/generations'],
      ['/v1/audio/speech'],
      [
        '/v1/audio/transcriptions',
        {
          headers: { 'content-type': 'multipart/form-data; boundary=x' },
          body: '--x\r\nContent-Disposition: form-data; name="model"\r\n\r\nknown\r\n--x--\r\n',
        },
      ],
      ['/v1/files', { headers: {}, body: 'anything' }],
      ['/v1/batches'],
      ['/v1/CHAT/completions'],
      ['/anything', { method: 'GET', body: '' }],
      ['/v1/responses/resp_1', { method: 'GET', body: '' }],
    ]
    for (const [path, more] of requests) {
      const refused = await at(path, more)
      assert.deepEqual(
        [refused.status, refused.text.includes(ofRequest.message)],
        [403, true],
        `${path} ${refused.text}`,
      )
    }
    nobodyAsked()
    assert.equal((await at('/v1/responses/compact')).status, 200)
    assert.deepEqual(asked(), ['known'])
    assert.equal((await at('/v1/responses/compact', { body: '{"model":"unknown"}' })).status, 403)
    nobodyAsked()
  })

  test('cannot be called with a duplicate model field', async () => {
    const compact = (body: string) =>
      sendRequest(daemon.url('routed'), '/detected/responses/compact', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      })
    assert.equal((await compact('{"model":"known"}')).status, 200)
    assert.deepEqual(asked(), ['known'])
    for (const body of [
      '{"model":"known","model":"unknown"}',
      '{"model":"known","model\\u0000":1,"\\u006dodel":"unknown"}',
    ])
      assert.equal((await compact(body)).status, 400, body)
    const talked = await sendRequest(origin(), '/v1/realtime?model=unknown&model=known', upgrade)
    assert.equal(talked.status, 403)
    nobodyAsked()
  })

  test('are refused for realtime sessions and invoke', async () => {
    provider.answer = jsonResponse({ error: { message: 'no conversations here' } }, 418)
    const talked = await sendRequest(origin(), '/v1/realtime?model=unknown', upgrade)
    assert.deepEqual([talked.status, talked.text.includes(ofModel.message)], [403, true])
    assert.equal((await at('/model/unknown-claude/invoke', { body: '{}' })).status, 403)
    assert.equal((await sendRequest(origin(), '/v1/realtime', upgrade)).status, 400)
    nobodyAsked()
    assert.equal((await sendRequest(origin(), '/v1/realtime?model=known', upgrade)).status, 418)
    assert.equal((await at('/model/known-claude/invoke', { body: '{}' })).status, 418)
    assert.equal(provider.calls.splice(0).length, 2)
    provider.answer = jsonResponse(completion)
  })

  test('are visible in the log and in the metrics', async () => {
    await complete(origin(), 'unknown-to-the-log')
    const line = await daemon.printed(/^.*request\.model=unknown-to-the-log.*$/m)
    assert.match(String(line), /http\.status=403/)
    assert.match(String(line), /gen_ai\.provider\.name=openai/)
    assert.match(String(line), /reason=InvalidRequest/)
    assert.match(String(line), /unknown_price/)
    const { text } = await sendRequest(daemon.url('stats'), '/metrics')
    assert.match(text, /^agentgateway_requests_total\{.*status="403",reason="InvalidRequest".*\} [1-9]/m)
  })
})

test('models with an unknown price are allowed by default', async () => {
  await using provider = await startProvider()
  await using daemon = await startDaemon(configuration(provider.host, 'allow'))
  const origin = daemon.url('default')
  assert.equal((await complete(origin, 'nobody')).status, 200)
  assert.equal((await sendRequest(origin, '/v1/files', { method: 'POST', body: 'x' })).status, 200)
  assert.deepEqual(
    provider.calls.map(({ path }) => path),
    ['/v1/chat/completions', '/v1/files'],
  )
})
