import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sendRequest } from '../../support/send-request.ts'
import { anyPorts, type Daemon, startDaemon } from '../../support/daemon.ts'

const configuration = `${anyPorts}
  modelCatalog:
    - inline:
        providers:
          mock:
            models:
              first: { rates: { input: '2', output: '10' } }
              second: { rates: { input: '100', output: '200', cacheRead: '10' } }
gateways:
  default: { port: 0 }
llm:
  models:
    - name: first
      provider: mock
    - name: second
      provider: mock
    - name: unpriced
      provider: mock
    - name: translated
      provider: { mock: { formats: [messages] } }
  virtualModels:
    - name: safe
      routing:
        failover:
          targets:
            - { model: first, priority: 0 }
            - { model: second, priority: 1 }
`

const chat = async (daemon: Daemon, model: string, content: string, more: object = {}): Promise<number> => {
  const body = JSON.stringify({ model, messages: [{ role: 'user', content }], ...more })
  return (await sendRequest(daemon.url('default'), '/v1/chat/completions', { method: 'POST', body })).status
}

/** The samples of a metric, by the given labels. */
const samples = async (
  daemon: Daemon,
  name: string,
  labels: readonly string[],
): Promise<Record<string, number>> => {
  const { text } = await sendRequest(daemon.url('stats'), '/metrics')
  const found = text.split('\n').filter((line) => line.startsWith(`agentgateway_${name}{`))
  return Object.fromEntries(
    found.map((line) => [
      labels.map((label) => new RegExp(`[{,]${label}="([^"]*)"`).exec(line)?.[1]).join(' '),
      Number(line.slice(line.lastIndexOf(' '))),
    ]),
  )
}

const logged = (line: string): string => line.replace(/^.*protocol=llm /, '').replace(/ reason=.*/, '')

suite('LLM telemetry', () => {
  test('has metrics for each attempt: tokens, durations and cost', async () => {
    await using daemon = await startDaemon(configuration)
    assert.equal(await chat(daemon, 'safe', 'mock@first:error 503 mock:usage 1000 100 cached=500'), 200)
    assert.equal(await chat(daemon, 'second', 'mock:usage 1000 100 cached=500', { stream: true }), 200)
    assert.equal(await chat(daemon, 'unpriced', 'hi'), 200)
    await daemon.printed(/request\.model=unpriced/)
    const model = ['gen_ai_request_model', 'gen_ai_response_model']
    assert.deepEqual(await samples(daemon, 'gen_ai_server_request_duration_count', model), {
      'first unknown': 1,
      'second second': 2,
      'unpriced unpriced': 1,
    })
    const tokens = await samples(daemon, 'gen_ai_client_token_usage_sum', [
      'gen_ai_request_model',
      'gen_ai_token_type',
    ])
    assert.partialDeepStrictEqual(tokens, {
      'second input': 2000,
      'second output': 200,
      'second input_cache_read': 1000,
    })
    assert.equal(tokens['first input'], undefined)
    assert.deepEqual(await samples(daemon, 'gen_ai_client_cost_usd_total', model), { 'second second': 0.15 })
    const lookups = await samples(daemon, 'cost_catalog_lookups_total', ['status', ...model])
    assert.partialDeepStrictEqual(lookups, { 'Exact second second': 2, 'Missing unpriced unpriced': 1 })
    assert.deepEqual(await samples(daemon, 'gen_ai_server_time_to_first_token_count', model), {
      'second second': 1,
    })
    const calls = await samples(daemon, 'upstream_call_duration_seconds_count', ['kind', 'subtype'])
    assert.deepEqual(calls, { 'Primary Llm': 3 })
    const requests = await samples(daemon, 'requests_total', ['backend', 'protocol', 'status', 'route'])
    assert.deepEqual(requests, {
      'second llm 200 internal/llm:request': 2,
      'unpriced llm 200 internal/llm:request': 1,
    })
  })

  test('has a metric for fields that a translation dropped', async () => {
    await using daemon = await startDaemon(configuration)
    assert.equal(
      await chat(daemon, 'translated', 'hi', { logit_bias: { 1: 2 }, made_up_by_somebody: 1 }),
      200,
    )
    await daemon.printed(/request\.model=translated/)
    const dropped = await samples(daemon, 'gen_ai_dropped_fields_total', ['field'])
    assert.equal(dropped.logit_bias, 1)
    assert.equal(dropped.made_up_by_somebody, undefined)
  })

  test('has the known attributes in the access log, and no others', async () => {
    await using daemon = await startDaemon(configuration)
    await chat(daemon, 'second', 'mock:usage 1000 100 cached=500 reasoning=7', {
      temperature: 0.5,
      max_tokens: 300,
    })
    await chat(daemon, 'unpriced', 'mock:error 400')
    await daemon.printed(/request\.model=unpriced.*\n/)
    const lines = daemon
      .output()
      .split('\n')
      .filter((line) => line.includes('\trequest '))
    assert.deepEqual(lines.map(logged), [
      'gen_ai.operation.name=chat gen_ai.provider.name=mock gen_ai.request.model=second' +
        ' gen_ai.response.model=second gen_ai.usage.input_tokens=1000' +
        ' gen_ai.usage.cache_read.input_tokens=500 gen_ai.usage.output_tokens=100' +
        ' gen_ai.usage.reasoning_tokens=7 agw.ai.usage.cost.total=0.075' +
        ' gen_ai.request.temperature=0.5 gen_ai.request.max_tokens=300',
      'gen_ai.operation.name=chat gen_ai.provider.name=mock gen_ai.request.model=unpriced',
    ])
  })

  test('has the timing of streams in the access log', async () => {
    await using daemon = await startDaemon(configuration)
    await chat(daemon, 'first', 'mock:delay 50ms mock:chunk-delay 20ms mock:words 4', { stream: true })
    const [, first, each] = await daemon.printed(
      /time_to_first_token=(\S+) agw\.ai\.time_per_output_token=(\S+)/,
    )
    assert.ok(Number(first) >= 0.06 && Number(first) < 30, first)
    assert.ok(Number(each) >= 0.015 && Number(each) < 15, each)
  })
})
