import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { sendRequest } from '../../support/send-request.ts'
import { chunk, completion, ending } from '../../support/llm/completions-stream.ts'
import { userMessage } from '../../support/llm/model-request.ts'
import { cut, events, json } from '../../support/llm/scripted-providers.ts'
import { firstOf, type WithProviders, withProviders } from '../../support/llm/with-providers.ts'

const failed = { error: { message: 'out of order', type: 'server_error', code: null } }

const scripts = {
  broken: json(500, failed, { 'x-ratelimit-reset-tokens': '6m0s' }),
  'also-broken': json(500, failed),
  'knows-nobody': json(401, failed),
  overloaded: json(529, failed, { 'retry-after': '7' }),
  'status-400': json(400, failed),
  'status-413': json(413, failed),
  'status-422': json(422, failed),
  cut: events(chunk('One'), cut),
  'begins-badly': events(`data: ${JSON.stringify(failed)}\n\n`),
  streams: events(chunk('One'), ending(1000, 100)),
  good: json(200, completion('Yes.')),
  'had-enough': json(429, failed, { 'retry-after': '60' }),
  'had-enough-in-ms': json(429, failed, { 'retry-after-ms': '60000' }),
  'had-enough-tokens': json(429, failed, { 'x-ratelimit-reset-tokens': '6m0s' }),
  'had-enough-and-is-alone': json(429, failed, { 'retry-after': '60' }),
}

type Name = keyof typeof scripts

const virtualModels = [
  firstOf('all-fail', 'also-broken', 'knows-nobody', 'overloaded'),
  firstOf('400-or-good', 'status-400', 'good'),
  firstOf('413-or-good', 'status-413', 'good'),
  firstOf('422-or-good', 'status-422', 'good'),
  firstOf('cut-or-good', 'cut', 'good'),
  firstOf('same-body', 'also-broken', 'good'),
  firstOf('enough', 'had-enough', 'good'),
  firstOf('enough-in-ms', 'had-enough-in-ms', 'good'),
  firstOf('enough-tokens', 'had-enough-tokens', 'good'),
  firstOf('three-times', 'broken', 'good'),
  firstOf('booked', 'also-broken', 'begins-badly', 'streams'),
]

suite('of several models', () => {
  let all: WithProviders<Name>
  before(async () => {
    all = await withProviders(scripts, { virtualModels })
  })
  after(() => all[Symbol.asyncDispose]())

  const complete = (model: string, stream = false) => {
    const { path, request: asked } = userMessage('completions', model, 'hi', stream)
    return sendRequest(all.origin, path, { ...asked, signal: AbortSignal.timeout(300_000) })
  }

  /** The number of calls to each one meanwhile. */
  const counted = async (names: readonly Name[], run: () => Promise<void>): Promise<number[]> => {
    const before = names.map((name) => all.providers.asked(name).length)
    await run()
    return names.map((name, i) => all.providers.asked(name).length - (before[i] ?? 0))
  }

  test('each is called once, and the last failure is returned unchanged', async () => {
    const counts = await counted(['also-broken', 'knows-nobody', 'overloaded'], async () => {
      const answer = await complete('all-fail')
      assert.equal(answer.status, 529)
      assert.equal(answer.headers['retry-after'], '7')
      assert.deepEqual(JSON.parse(answer.text), failed)
    })
    assert.deepEqual(counts, [1, 1, 1])
  })

  for (const status of [400, 413, 422])
    test(`no other is called after an error of the client: ${String(status)}`, async () => {
      const counts = await counted(['good'], async () => {
        for (const stream of [false, true])
          assert.equal((await complete(`${String(status)}-or-good`, stream)).status, status)
      })
      assert.deepEqual(counts, [0])
    })

  test('no other is called once the stream has begun', async () => {
    const counts = await counted(['cut', 'good'], async () => {
      const { text } = await complete('cut-or-good', true)
      assert.match(text, /One/)
      assert.match(text, /"error"/)
      assert.doesNotMatch(text, /\[DONE\]/)
    })
    assert.deepEqual(counts, [1, 0])
  })

  test("each gets the client's body with its own model name", async () => {
    assert.equal((await complete('same-body')).status, 200)
    const sent = String(userMessage('completions', 'same-body', 'hi').request.body)
    for (const name of ['also-broken', 'good'] as const)
      assert.equal(
        all.providers.asked(name).at(-1)?.body.toString(),
        sent.replace('"same-body"', `"${name}"`),
      )
  })

  for (const [model, name] of [
    ['enough', 'had-enough'],
    ['enough-in-ms', 'had-enough-in-ms'],
    ['enough-tokens', 'had-enough-tokens'],
  ] as const)
    test(`one that ${name.replaceAll('-', ' ')} is skipped as long as it requests`, async () => {
      const counts = await counted([name, 'good'], async () => {
        for (let i = 0; i < 3; i++) assert.equal((await complete(model)).status, 200)
      })
      assert.deepEqual(counts, [1, 3])
    })

  test('one that fails without a retry-after is called three times before it is skipped', async () => {
    const counts = await counted(['broken', 'good'], async () => {
      for (let i = 0; i < 5; i++) assert.equal((await complete('three-times')).status, 200)
    })
    assert.deepEqual(counts, [3, 5])
  })

  test('a rate-limited one is called anyway if there is no other', async () => {
    const counts = await counted(['had-enough-and-is-alone'], async () => {
      for (let i = 0; i < 3; i++) assert.equal((await complete('had-enough-and-is-alone')).status, 429)
    })
    assert.deepEqual(counts, [3])
  })

  test('each is recorded in its own metrics', async () => {
    const { status, text } = await complete('booked', true)
    assert.equal(status, 200, text)
    await all.daemon.printed(/gen_ai\.request\.model=streams/)
    const metrics = (await sendRequest(all.daemon.url('stats'), '/metrics')).text.split('\n')
    const sample = (name: string, model: Name, ...labels: readonly string[]) =>
      metrics
        .filter((line) => line.startsWith(`agentgateway_${name}{`))
        .filter((line) =>
          [`gen_ai_request_model="${model}"`, ...labels].every((label) => line.includes(label)),
        )
        .map((line) => Number(line.slice(line.lastIndexOf(' '))))
    for (const name of ['begins-badly', 'streams'] as const)
      assert.deepEqual(sample('gen_ai_server_request_duration_count', name), [1], name)
    const tokens = 'gen_ai_client_token_usage_sum'
    assert.deepEqual(sample(tokens, 'streams', 'gen_ai_token_type="input"'), [1000])
    assert.deepEqual(sample(tokens, 'streams', 'gen_ai_token_type="output"'), [100])
    assert.deepEqual(sample(tokens, 'begins-badly'), [])
    assert.deepEqual(sample(tokens, 'also-broken'), [])
    assert.deepEqual(sample('gen_ai_server_time_to_first_token_count', 'streams'), [1])
  })
})
