import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseConfig } from '../../src/config/parse.ts'

const FILE = `
config:
  enableIpv6: true
  adminAddr: 127.0.0.1:1
  connectionTerminationDeadline: 20s
  logging: { format: text }
  dns: { lookupFamily: All }
gateways: { default: { port: 3000 } }
`
const settings = (env: Readonly<Record<string, string>>, text = FILE) => parseConfig(text, 'gw.yaml', env)

test('environment variables', async (t) => {
  await t.test('override the file', () => {
    const { process, resources } = settings({
      ADMIN_ADDR: 'localhost:7',
      STATS_ADDR: 'off',
      READINESS_ADDR: 'unix:/run/ready.sock',
      CONNECTION_TERMINATION_DEADLINE: '7s',
      CONNECTION_MIN_TERMINATION_DEADLINE: '2s',
      IPV6_ENABLED: 'false',
      DNS_LOOKUP_FAMILY: 'V6Only',
      LOG_FORMAT: 'json',
    })
    assert.deepEqual(
      [process.adminAddr, process.statsAddr, process.readinessAddr],
      [{ host: 'localhost', port: 7 }, 'off', { unix: '/run/ready.sock' }],
    )
    assert.deepEqual([process.terminationDeadlineMs, process.minTerminationDeadlineMs], [7000, 2000])
    assert.deepEqual(
      [process.ipv6Enabled, process.dnsLookupFamily, process.logging.format],
      [false, 'V6Only', 'json'],
    )
    assert.equal(resources.binds[0]?.address, '0.0.0.0')
  })

  await t.test('set the number of connections to guard webhooks and their idle time', () => {
    const pool = (env: Readonly<Record<string, string>>) => settings(env).process.guardrailWebhook
    assert.deepEqual(pool({}), { poolIdleTimeoutMs: 300_000, poolMaxSize: 100 })
    assert.deepEqual(
      pool({ GUARDRAIL_WEBHOOK_MAX_CONNECTIONS: '7', GUARDRAIL_WEBHOOK_KEEPALIVE_SECONDS: '9' }),
      { poolIdleTimeoutMs: 9_000, poolMaxSize: 7 },
    )
    assert.deepEqual(pool({ GUARDRAIL_WEBHOOK_MAX_CONNECTIONS: '0' }), { poolIdleTimeoutMs: 300_000 })
    for (const [name, value, words] of [
      ['MAX_CONNECTIONS', '-1', 'must be a whole number, 0 for no limit'],
      ['MAX_CONNECTIONS', 'many', 'must be a whole number, 0 for no limit'],
      ['KEEPALIVE_SECONDS', '5m', 'must be a whole number of seconds from 1 to 2147483'],
      ['KEEPALIVE_SECONDS', '0', 'must be a whole number of seconds from 1 to 2147483'],
      ['KEEPALIVE_SECONDS', '2147484', 'must be a whole number of seconds from 1 to 2147483'],
    ] as const)
      assert.throws(() => settings({ [`GUARDRAIL_WEBHOOK_${name}`]: value }), {
        message: `environment: GUARDRAIL_WEBHOOK_${name}: "${value}" ${words}`,
      })
  })

  await t.test('set whether cached tokens are counted as their provider counts them', () => {
    const name = 'AGENTGATEWAY_LEGACY_LLM_USAGE_TOKEN_SEMANTICS'
    const counts = (env: Readonly<Record<string, string>>) => settings(env).resources.cachesAsProvider
    assert.deepEqual(
      [counts({}), counts({ [name]: 'false' }), counts({ [name]: '0' })],
      [undefined, undefined, undefined],
    )
    assert.deepEqual([counts({ [name]: 'true' }), counts({ [name]: '1' })], [true, true])
    assert.throws(() => counts({ [name]: 'yes' }), {
      message: `environment: ${name}: "yes" must be one of true, false, 1, 0`,
    })
  })

  await t.test('set the betas that are allowed for Claude on Bedrock', () => {
    const name = 'AGENTGATEWAY_BEDROCK_ANTHROPIC_BETA_HEADERS'
    const allowed = (value: string) => settings({ [name]: value }).resources.bedrockBetas
    assert.deepEqual(allowed(''), undefined)
    assert.deepEqual(allowed('a-1, b-2,,'), ['a-1', 'b-2'])
    assert.deepEqual(allowed(','), [])
    const more = allowed('a-1,default') ?? []
    assert.ok(more.length > 10 && more[0] === 'a-1' && more.includes('interleaved-thinking-2025-05-14'))
    assert.throws(() => allowed('a;b'), {
      message: `environment: ${name}: "a;b" must be names of betas with commas between them, or default for those that it is known to take`,
    })
  })

  await t.test('count as unset if they are empty', () => {
    assert.deepEqual(settings({ ADMIN_ADDR: '', LOG_FORMAT: ' ' }).process.adminAddr, {
      host: '127.0.0.1',
      port: 1,
    })
  })

  await t.test('are refused by name if they are invalid', () => {
    assert.throws(() => settings({ ADMIN_ADDR: '15000', TERMINATION_GRACE_PERIOD_SECONDS: '5s' }), {
      message: [
        'environment: ADMIN_ADDR: "15000" must be ip:port, localhost:port, unix:/path or off',
        '    hint: did you mean "127.0.0.1:15000"?',
        'environment: TERMINATION_GRACE_PERIOD_SECONDS: "5s" must be a whole number of seconds',
      ].join('\n'),
    })
  })

  await t.test('hold the cookie keys; the login key overrides the session key', () => {
    const [a, b, c] = ['aA', 'bb', 'cc'].map((digits) => digits.repeat(32)) as [string, string, string]
    const text = `config: { session: { key: "${c}" } }`
    const keys = (env: Readonly<Record<string, string>>) =>
      settings(env, text).process.cookieKeys.map(({ secret }) => secret)
    assert.deepEqual(keys({}), [c])
    assert.deepEqual(keys({ SESSION_KEY: b }), [b])
    assert.deepEqual(keys({ SESSION_KEY: b, OIDC_COOKIE_SECRET: `${a}, ${b}` }), [a.toLowerCase(), b])
    assert.throws(() => keys({ OIDC_COOKIE_SECRET: `${a},too-short` }), {
      message:
        'environment: OIDC_COOKIE_SECRET: <redacted> must be a key of 64 hexadecimal digits, or several with commas between them',
    })
  })

  await t.test('are included in the check for duplicate ports', () => {
    assert.throws(() => settings({ STATS_ADDR: '[::]:3000' }), {
      message: /port 3000 is configured by both config\.statsAddr/,
    })
  })

  const grace: readonly (readonly [seconds: string, ms: number])[] = [
    ['30', 25_000],
    ['11', 6000],
    ['10', 9000],
    ['2', 1000],
    ['1', 1000],
    ['0', 1000],
  ]
  for (const [seconds, ms] of grace) {
    await t.test(`of ${seconds} s until the process is killed leave ${String(ms)} ms for draining`, () => {
      const env = { TERMINATION_GRACE_PERIOD_SECONDS: seconds }
      assert.equal(settings(env, '').process.terminationDeadlineMs, ms)
      assert.equal(settings(env).process.terminationDeadlineMs, 20_000)
    })
  }

  await t.test('have defaults', () => {
    const { process } = settings({}, '')
    assert.deepEqual(
      [process.adminAddr, process.statsAddr, process.readinessAddr, process.terminationDeadlineMs],
      [{ host: '127.0.0.1', port: 15000 }, { host: '::', port: 15020 }, { host: '::', port: 15021 }, 5000],
    )
  })
})

test('variables of OpenTelemetry', async (t) => {
  const tracingOf = (env: Readonly<Record<string, string>>, text?: string) =>
    settings(env, text).resources.frontend.tracing
  const reached = (env: Readonly<Record<string, string>>, text?: string) => {
    const tracing = tracingOf(env, text)
    return [tracing?.service.backend, tracing?.path]
  }
  const collector = (host: string, port: number) => ({ kind: 'host', target: { host, port } })

  await t.test('are enough to export traces', () => {
    assert.equal(tracingOf({}), undefined)
    assert.deepEqual(reached({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://a:4317' }), [
      collector('a', 4317),
      '/v1/traces',
    ])
    assert.equal(tracingOf({ OTEL_EXPORTER_OTLP_ENDPOINT: 'a:4317' })?.protocol, 'grpc')
    assert.equal(tracingOf({ OTEL_EXPORTER_OTLP_ENDPOINT: 'a:1', OTEL_SDK_DISABLED: 'true' }), undefined)
  })

  await t.test('of a signal override those of both, and OTLP_ENDPOINT all', () => {
    const base = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://a:1/base/' }
    assert.deepEqual(reached(base), [collector('a', 1), '/base/v1/traces'])
    const own = { ...base, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://b:2/own' }
    assert.deepEqual(reached(own), [collector('b', 2), '/own'])
    assert.deepEqual(reached({ ...own, OTLP_ENDPOINT: 'c:3' }), [collector('c', 3), '/v1/traces'])
  })

  await t.test('override the fields of config.tracing, not a policy', () => {
    const file =
      'config: { tracing: { otlpEndpoint: "http://file:1", headers: { A: "1" }, otlpProtocol: grpc } }'
    const env = {
      OTLP_ENDPOINT: 'http://env:2',
      OTLP_HEADERS: 'authorization=Bearer%20x, B=2',
      OTLP_PROTOCOL: 'http/protobuf',
      OTEL_EXPORTER_OTLP_TIMEOUT: '250',
    }
    const tracing = tracingOf(env, file)
    assert.deepEqual(
      [tracing?.headers, tracing?.protocol, tracing?.timeoutMs],
      [
        [
          ['authorization', 'Bearer x'],
          ['b', '2'],
        ],
        'http',
        250,
      ],
    )
    assert.deepEqual(tracingOf({ OTLP_HEADERS: '{"X-A": "1,2"}' }, file)?.headers, [['x-a', '1,2']])
    const policy = tracingOf(env, 'frontendPolicies: { tracing: { host: "policy:3" } }')
    assert.deepEqual(
      [policy?.service.backend, policy?.headers, policy?.protocol, policy?.timeoutMs],
      [collector('policy', 3), [], 'grpc', 250],
    )
  })

  await t.test('set sampling where the file does not', () => {
    const base = { OTLP_ENDPOINT: 'a:1', OTEL_TRACES_SAMPLER: 'parentbased_traceidratio' }
    const tracing = tracingOf({ ...base, OTEL_TRACES_SAMPLER_ARG: '0.25' })
    assert.deepEqual([tracing?.randomSampling, tracing?.clientSampling], [{ share: 0.25 }, 'parent'])
    const file = 'config: { tracing: { randomSampling: 1, clientSampling: "0.5" } }'
    const configured = tracingOf({ ...base, OTEL_TRACES_SAMPLER: 'always_off' }, file)
    assert.deepEqual([configured?.randomSampling, configured?.clientSampling], [{ share: 1 }, { share: 0.5 }])
  })

  await t.test('set queues, and a batch no larger than the queue', () => {
    const { otel } = settings({
      OTEL_BSP_MAX_QUEUE_SIZE: '100',
      OTEL_BLRP_SCHEDULE_DELAY: '20',
      OTEL_SERVICE_NAME: 'edge',
      OTEL_RESOURCE_ATTRIBUTES: 'team=blue%20one,zone=a',
    }).process
    assert.deepEqual(otel, {
      traces: { maxQueueSize: 100, maxExportBatchSize: 100, scheduleDelayMs: 5000 },
      logs: { maxQueueSize: 2048, maxExportBatchSize: 512, scheduleDelayMs: 20 },
      serviceName: 'edge',
      resourceAttributes: [
        ['team', 'blue one'],
        ['zone', 'a'],
      ],
    })
  })

  for (const [name, value] of Object.entries({
    OTLP_ENDPOINT: 'ftp://a',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://user:s3cr3t@a:1',
    OTEL_EXPORTER_OTLP_HEADERS: 's3cr3t',
    OTLP_HEADERS: '{"a": 1}',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_EXPORTER_OTLP_TIMEOUT: '-1',
    OTEL_TRACES_SAMPLER: 'jaeger_remote',
    OTEL_TRACES_SAMPLER_ARG: '2',
    OTEL_BSP_MAX_QUEUE_SIZE: '0',
    OTEL_RESOURCE_ATTRIBUTES: 'a=%zz',
    OTEL_SDK_DISABLED: 'yes',
  }))
    await t.test(`are errors with their name: ${name}`, () => {
      assert.throws(
        () => settings({ [name]: value }),
        (error: Error) => error.message.includes(name) && !error.message.includes('s3cr3t'),
      )
    })
})
