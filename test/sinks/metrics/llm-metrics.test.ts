import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LlmCall } from '../../../src/model/llm/llm-call.ts'
import type { LlmUsageRecord } from '../../../src/model/llm/usage-record.ts'
import { openMetricsText } from '../../support/metrics-text.ts'
import type { RouteLabels } from '../../../src/model/resources/snapshot.ts'
import { LlmMetrics } from '../../../src/sinks/metrics/llm-metrics.ts'

const route: RouteLabels = {
  bind: 'bind/4000',
  gateway: 'default/default',
  listener: 'llm',
  route: 'internal/llm:request',
  routeRule: undefined,
}

const answered = (more: Partial<LlmUsageRecord> = {}): LlmUsageRecord => ({
  provider: 'openai',
  requestModel: 'fast',
  responseModel: 'fast-1',
  usage: { inputTokens: 9, outputTokens: 3, cachedInputTokens: 0 },
  priceStatus: 'noCatalog',
  durationMs: 15,
  outcome: 'answered',
  ...more,
})

const refused = (requestModel: string): LlmUsageRecord =>
  answered({ requestModel, responseModel: undefined, usage: {}, outcome: 'refused' })

const make = (limit = 1_000) => {
  const reported = { evicted: 0, overflowed: 0, replaced: 0 }
  const metrics = new LlmMetrics({
    limit,
    format: 'classic',
    customNames: [],
    events: {
      evicted: (count) => (reported.evicted += count),
      overflowed: () => reported.overflowed++,
    },
    onLabelOverflow: () => reported.replaced++,
  })
  const count = (
    records: readonly LlmUsageRecord[],
    { custom = '', labels = route, type = 'completions' as const, dropped = [] as string[] } = {},
  ) => {
    const call = new LlmCall(type)
    call.records.push(...records)
    call.dropped = dropped
    metrics.ended(labels, call, custom)
  }
  const lines = (part = '') => {
    const all = openMetricsText(metrics.parts(() => false)).split('\n')
    return all.filter((line) => line.includes(part) && !line.startsWith('#') && line !== '')
  }
  return { count, lines, reported, metrics }
}

const labels =
  'gen_ai_operation_name="chat",gen_ai_system="openai",gen_ai_request_model="fast",' +
  'gen_ai_response_model="fast-1",bind="bind/4000",gateway="default/default",listener="llm",' +
  'route="internal/llm:request",route_rule="unknown"'

test('the metrics of language models', async (t) => {
  await t.test('count tokens by kind, only those that were reported', () => {
    const { count, lines } = make()
    count([answered()])
    count([answered()])
    const usage = 'agentgateway_gen_ai_client_token_usage'
    assert.deepEqual(
      lines(`${usage}_sum`),
      [
        ['output', 6],
        ['input', 18],
        ['input_cache_read', 0],
      ].map(([kind, sum]) => `${usage}_sum{gen_ai_token_type="${kind}",${labels}} ${sum}`),
    )
    assert.deepEqual(
      lines(`${usage}_bucket`)
        .filter((line) => line.includes('"output"'))
        .map((line) => line.replace(labels, '…')),
      [
        '1.0',
        '4.0',
        '16.0',
        '64.0',
        '256.0',
        '1024.0',
        '4096.0',
        '16384.0',
        '65536.0',
        '262144.0',
        '1048576.0',
        '4194304.0',
        '16777216.0',
        '67108864.0',
        '+Inf',
      ].map((le, i) => `${usage}_bucket{le="${le}",gen_ai_token_type="output",…} ${i === 0 ? 0 : 2}`),
    )
  })

  await t.test('measure calls, and the tokens of streams', () => {
    const { count, lines } = make()
    count([answered({ durationMs: 1500, timeToFirstTokenMs: 500 })])
    count([answered({ durationMs: 40 })])
    assert.deepEqual(lines('_sum{gen_ai_operation'), [
      `agentgateway_gen_ai_server_request_duration_sum{${labels}} 1.54`,
      `agentgateway_gen_ai_server_time_per_output_token_sum{${labels}} 0.5`,
      `agentgateway_gen_ai_server_time_to_first_token_sum{${labels}} 0.5`,
    ])
  })

  await t.test('have no time per token if there were no tokens after the first', () => {
    const { count, lines } = make()
    count([answered({ timeToFirstTokenMs: 5, usage: { outputTokens: 1 } })])
    count([answered({ timeToFirstTokenMs: 5, usage: {} })])
    assert.deepEqual(lines('time_per_output_token'), [])
    assert.equal(lines('time_to_first_token_count')[0]?.endsWith('} 2'), true)
  })

  await t.test('count the cost if the price is known, and the result of the lookup', () => {
    const { count, lines } = make()
    count([answered({ cost: { total: 0.25 }, priceStatus: 'exact' })])
    count([answered({ cost: { total: 0.5 }, priceStatus: 'exact' })])
    count([answered({ cost: { input: 1 }, priceStatus: 'unpriced' })])
    count([answered({ priceStatus: undefined })])
    assert.deepEqual(lines('cost'), [
      `agentgateway_gen_ai_client_cost_usd_total{${labels}} 0.75`,
      `agentgateway_cost_catalog_lookups_total{status="Exact",${labels}} 2`,
      `agentgateway_cost_catalog_lookups_total{status="Unpriced",${labels}} 1`,
    ])
  })

  await t.test('have no unknown cost', () => {
    const { count, lines } = make()
    count([answered()])
    assert.deepEqual(lines('cost_usd'), [])
    assert.deepEqual(lines('lookups'), [
      `agentgateway_cost_catalog_lookups_total{status="NoCatalog",${labels}} 1`,
    ])
  })

  await t.test('charge each attempt to the model that served it', () => {
    const { count, lines } = make()
    const first = answered({
      provider: 'anthropic',
      requestModel: 'a',
      responseModel: undefined,
      usage: { inputTokens: 5 },
      outcome: 'cut',
    })
    count([first, answered({ requestModel: 'b', responseModel: 'b', usage: { inputTokens: 7 } })])
    assert.deepEqual(
      lines('token_usage_sum').map((line) => line.replace(/,bind.*}/, '}')),
      [
        'agentgateway_gen_ai_client_token_usage_sum{gen_ai_token_type="input",gen_ai_operation_name="chat",gen_ai_system="anthropic",gen_ai_request_model="a",gen_ai_response_model="unknown"} 5',
        'agentgateway_gen_ai_client_token_usage_sum{gen_ai_token_type="input",gen_ai_operation_name="chat",gen_ai_system="openai",gen_ai_request_model="b",gen_ai_response_model="b"} 7',
      ],
    )
  })

  await t.test('count losses of translations', () => {
    const { count, lines } = make()
    count([], { dropped: ['logit_bias', 'n'] })
    count([], { dropped: ['n'] })
    assert.deepEqual(lines('dropped'), [
      'agentgateway_gen_ai_dropped_fields_total{field="logit_bias"} 1',
      'agentgateway_gen_ai_dropped_fields_total{field="n"} 2',
    ])
  })

  await t.test('have a bounded number of model names, and few for models without a response', () => {
    const { count, lines } = make(100_000)
    for (let i = 0; i < 300; i++) count([refused(`made-up-${i}`)])
    assert.equal(lines('request_duration_count').length, 51)
    assert.match(lines('request_duration_count').at(-1) ?? '', /request_model="overflow".*} 250$/)
    for (let i = 0; i < 700; i++) count([answered({ requestModel: 'auto', responseModel: `m${i}` })])
    assert.equal(lines('response_model="m').filter((line) => line.includes('duration_count')).length, 499)
    assert.match(
      lines('response_model="overflow"').find((line) => line.includes('duration_count')) ?? '',
      /} 201$/,
    )
  })

  await t.test('keep the name of a model that has responded once, and truncate long ones', () => {
    const { count, lines } = make(100_000)
    count([answered({ requestModel: 'x'.repeat(300), responseModel: undefined })])
    for (let i = 0; i < 300; i++) count([refused(`made-up-${i}`)])
    count([refused('x'.repeat(300))])
    assert.match(lines('request_duration_count')[0] ?? '', /request_model="x{128}".*} 2$/)
  })

  await t.test('have bounded series, beyond which everything is overflow', () => {
    const { count, lines, reported } = make(20)
    for (const name of ['a', 'b', 'c', 'd']) count([answered({ requestModel: name, responseModel: name })])
    assert.deepEqual(
      lines('request_duration_count').map((line) => /request_model="(\w+)".*} (\d+)/.exec(line)?.slice(1)),
      [
        ['a', '1'],
        ['b', '1'],
        ['overflow', '2'],
      ],
    )
    assert.deepEqual(reported, { evicted: 0, overflowed: 2, replaced: 0 })
  })

  await t.test('remove series that are unused for sixty scrapes, and start from zero after it', () => {
    const { count, lines, reported } = make(20)
    const use = (name: string) => count([answered({ requestModel: name, responseModel: name })])
    use('a')
    use('b')
    for (let i = 0; i < 60; i++) {
      lines()
      use('b')
    }
    use('c')
    use('a')
    assert.equal(reported.evicted, 1)
    assert.deepEqual(
      lines('request_duration_count').map((line) => /request_model="(\w+)".*} (\d+)/.exec(line)?.slice(1)),
      [
        ['b', '61'],
        ['c', '1'],
        ['overflow', '1'],
      ],
    )
  })

  await t.test('distinguish user labels and routes, but not reloads', () => {
    const { count, lines } = make()
    count([answered()], { custom: ',team="red"' })
    count([answered()], { custom: ',team="blue"' })
    count([answered()], { labels: { ...route, route: 'x' } })
    count([answered()], { labels: { ...route } })
    count([answered()])
    assert.deepEqual(
      lines('request_duration_count').map((line) => line.split('} ')[1]),
      ['1', '1', '1', '2'],
    )
  })

  await t.test('omit removed metrics', () => {
    const { count, metrics } = make()
    count([answered()], { dropped: ['n'] })
    const text = openMetricsText(metrics.parts(({ name }) => /dropped|token_usage/.test(name)))
    assert.deepEqual(
      [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name),
      [
        'agentgateway_gen_ai_client_cost_usd',
        'agentgateway_gen_ai_server_request_duration',
        'agentgateway_gen_ai_server_time_per_output_token',
        'agentgateway_gen_ai_server_time_to_first_token',
        'agentgateway_cost_catalog_lookups',
      ],
    )
  })
})
