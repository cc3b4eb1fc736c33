import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sendRequest } from '../../support/send-request.ts'
import { callModel, clientFormats, complete, completions } from '../../support/llm/client-formats.ts'
import { recordedGateway } from '../../support/llm/recorded-gateway.ts'
import { jsonOf } from '../../support/llm/recording-provider.ts'

const configuration = (host: string) => `frontendPolicies:
  accessLog: { add: { asked_for: metadata.agentgateway_user_model } }
llm:
  policies:
    apiKey:
      mode: optional
      location: { header: { name: x-badge } }
      keys: [{ key: k-red, metadata: { team: red } }]
  models:
    - { name: small, provider: mock, visibility: internal }
    - { name: large, provider: mock, authorization: { rules: ["!('x-no' in request.headers)"] } }
    - { name: 'wild-*', provider: mock }
    - name: recorded
      provider: openAI
      params: { hostOverride: "${host}" }
      requestHeaders: { set: { x-pinned: "yes" } }
    - { name: alias, provider: openAI, params: { model: gpt-of-the-provider, hostOverride: "${host}" } }
  virtualModels:
    - name: half
      routing: { weighted: { targets: [{ model: small, weight: 3 }, { model: wild-a, weight: 1 }, { model: large, weight: 0 }] } }
    - name: by-request
      routing:
        conditional:
          targets:
            - { model: large, when: "llmRequest.max_tokens > 1000" }
            - { model: wild-red, when: "apiKey.team == 'red'" }
            - { model: wild-header, when: "request.headers['x-tier'] == 'gold'" }
            - { model: wild-stream, when: "llmRequest.stream == true" }
            - { model: small }
    - name: first-that-works
      routing:
        failover: { targets: [{ model: large, priority: 10 }, { model: wild-last, priority: 20 }, { model: small, priority: 5 }] }
    - name: recorded-under-another-name
      routing: { weighted: { targets: [{ model: recorded }] } }
    - name: aliased
      routing: { weighted: { targets: [{ model: alias }] } }
    - name: images
      routing: { weighted: { targets: [{ model: recorded }] } }
`

suite('a virtual model', () => {
  const gateway = recordedGateway(configuration)

  const served = async (
    ...asked: Parameters<typeof complete> extends [string, ...infer Rest] ? Rest : never
  ) => {
    const { status, text } = await complete(gateway.origin, ...asked)
    assert.equal(status, 200, text)
    return /"model":"([^"]*)"/.exec(text)?.[1]
  }

  test('chooses by weight, and never a target with weight 0', async () => {
    const counts = new Map<string | undefined, number>()
    for (let i = 0; i < 200; i++) {
      const model = await served('half')
      counts.set(model, (counts.get(model) ?? 0) + 1)
    }
    assert.deepEqual([...counts.keys()].sort(), ['small', 'wild-a'])
    // 150 are expected; the chance to be outside of these bounds is one in a billion.
    const small = counts.get('small') ?? 0
    assert.ok(small > 110 && small < 188, String(small))
  })

  test('uses the first target whose condition holds', async () => {
    assert.equal(await served('by-request'), 'small')
    assert.equal(await served('by-request', { fields: { max_tokens: 2000 } }), 'large')
    assert.equal(await served('by-request', { headers: { 'x-badge': 'k-red' } }), 'wild-red')
    assert.equal(await served('by-request', { headers: { 'x-tier': 'gold' } }), 'wild-header')
    assert.equal(await served('by-request', { fields: { stream: true } }), 'wild-stream')
    const both = { fields: { max_tokens: 2000 }, headers: { 'x-badge': 'k-red' } }
    assert.equal(await served('by-request', both), 'large')
  })

  test('calls the model that its target names', async () => {
    gateway.provider.calls.length = 0
    for (const model of ['alias', 'aliased']) await complete(gateway.origin, model)
    assert.deepEqual(
      gateway.provider.calls.map((call) => jsonOf(call).model),
      ['gpt-of-the-provider', 'gpt-of-the-provider'],
    )
  })

  test('fails over in order of priority, without targets that the caller may not use', async () => {
    const fails = (...models: string[]) => ({
      fields: {
        messages: [{ role: 'user', content: models.map((one) => `mock@${one}:error 500`).join(' ') }],
      },
    })
    assert.equal(await served('first-that-works'), 'small')
    assert.equal(await served('first-that-works', fails('small')), 'large')
    assert.equal(await served('first-that-works', fails('small', 'large')), 'wild-last')
    // Three failures in a row would evict it.
    assert.equal(await served('first-that-works'), 'small')
    const headers = { 'x-no': 'large' }
    assert.equal(await served('first-that-works', { ...fails('small'), headers }), 'wild-last')
  })

  test('works in every format', async () => {
    for (const format of clientFormats.filter(({ name }) => name !== 'converse')) {
      const { status, text } = await callModel(gateway.origin, format, 'first-that-works')
      assert.equal(status, 200, `${format.name}: ${text}`)
      assert.match(text, /"(?:model|modelVersion)":"small"/)
    }
  })

  test('replaces the model name in the provider request, and nothing else', async () => {
    gateway.provider.calls.length = 0
    await complete(gateway.origin, 'recorded-under-another-name')
    const [call] = gateway.provider.calls
    assert.ok(call)
    assert.deepEqual(jsonOf(call), { ...completions.body('recorded') })
    assert.equal(call.headers['x-pinned'], 'yes')
  })

  test('is replaced in passthrough bodies, but not in forms', async () => {
    gateway.provider.calls.length = 0
    const images = { ...completions, path: () => '/v1/images/generations' }
    const body = '{ "prompt":"a red dot", "model":"images" }'
    await callModel(gateway.origin, images, '', { body })
    assert.equal(gateway.provider.calls[0]?.bytes.toString(), body.replace('images', 'recorded'))
    const form = '--xx\r\nContent-Disposition: form-data; name="model"\r\n\r\nimages\r\n--xx--\r\n'
    await callModel(gateway.origin, images, '', {
      body: form,
      headers: { 'content-type': 'multipart/form-data; boundary=xx' },
    })
    assert.equal(gateway.provider.calls[1]?.bytes.toString(), form)
  })

  test('is the requested model in expressions', async () => {
    await complete(gateway.origin, 'first-that-works')
    await gateway.daemon.printed(/gen_ai\.request\.model=small .*asked_for=first-that-works/)
  })

  test('is listed beside the other models', async () => {
    const { text } = await sendRequest(gateway.origin, '/v1/models')
    const ids = (JSON.parse(text) as { data: { id: string }[] }).data.map(({ id }) => id)
    assert.deepEqual(ids, [
      'recorded',
      'large',
      'wild-*',
      'alias',
      'half',
      'by-request',
      'first-that-works',
      'recorded-under-another-name',
      'aliased',
      'images',
    ])
  })
})
