import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, suite, test } from 'node:test'
import { createGateway, type Gateway, type GatewayConfig } from '../../../src/create-gateway.ts'
import { sendRequest, type RequestParts } from '../../support/send-request.ts'
import { Authorization } from '../../../src/protocols/grpc/ext-authz.gen.ts'
import { type EchoUpstream, startEcho } from '../../support/echo-upstream.ts'
import { grpcServer, unary } from '../../support/grpc-server.ts'
import { userMessage } from '../../support/llm/model-request.ts'
import { McpCaller } from '../../support/mcp/mcp-caller.ts'
import { startToy, type ToyServer } from '../../support/mcp/toy-server.ts'
import { type Collector, startGrpcCollector, startHttpCollector } from '../../support/otlp/collector.ts'
import type { DecodedSpan } from '../../support/otlp/decode.ts'

const parentId = 'b7ad6b7169203331'
const newTrace = (): string => randomBytes(16).toString('hex')

const configuration = (
  collector: Collector,
  echo: EchoUpstream,
  toy: ToyServer,
  more: object = {},
): GatewayConfig => {
  const backends = [{ host: echo.host }]
  const at = (pathPrefix: string) => [{ path: { pathPrefix } }]
  return {
    config: { modelCatalog: [{ inline: catalog }] },
    gateways: { default: { port: 0, address: '127.0.0.1' } },
    routes: [
      { name: 'plain', matches: at('/plain'), backends },
      {
        name: 'authorized',
        matches: at('/authorized'),
        policies: { extAuthz: { host: echo.host, protocol: { http: {} } } },
        backends,
      },
      {
        name: 'retried',
        matches: at('/retried'),
        policies: { retry: { attempts: 1, codes: [503] } },
        backends,
      },
      { name: 'gone', matches: at('/gone'), backends: [{ host: '127.0.0.1:1' }] },
      {
        name: 'mcp',
        matches: at('/mcp'),
        backends: [{ mcp: { targets: [{ name: 'toy', mcp: { host: toy.url } }] } }],
      },
      {
        name: 'hidden',
        matches: at('/hidden'),
        policies: { requestHeaderModifier: { remove: ['traceparent'] } },
        backends,
      },
    ],
    llm: { models: [{ name: 'own', provider: 'mock' }] },
    frontendPolicies: {
      tracing: {
        host: collector.host,
        protocol: 'http',
        headers: { 'x-tenant': 'blue' },
        randomSampling: 'request.path == "/plain/drawn"',
        clientSampling: 'default(request.headers["x-sampled"], "") != "no"',
        filter: 'response.code != 204',
        attributes: { 'user.agent': 'request.headers["user-agent"]', 'span.name': named, who: '"it"' },
        remove: ['src.addr', 'error.type', 'who'],
        resources: { 'deployment.environment': '"test"', team: 'env.namespace', shards: '3' },
        ...more,
      },
    },
  } as unknown as GatewayConfig
}

const named = 'request.path == "/plain/named" ? "renamed" : null'
const catalog = { providers: { mock: { models: { own: { rates: { input: '1', output: '2' } } } } } }
const env = { OTEL_BSP_SCHEDULE_DELAY: '10', NAMESPACE: 'blue', OTEL_SERVICE_NAME: 'edge' }

suite('spans of requests', () => {
  let collector: Collector
  let echo: EchoUpstream
  let toy: ToyServer
  let gateway: Gateway
  let url = ''
  before(async () => {
    ;[collector, echo, toy] = await Promise.all([
      startHttpCollector(),
      startEcho('echo'),
      startToy({ tools: ['add'] }),
    ])
    gateway = await createGateway(configuration(collector, echo, toy), { env })
    url = gateway.addresses[0]?.url ?? ''
  })
  after(async () => {
    await gateway.close()
    for (const one of [collector, echo, toy]) await one[Symbol.asyncDispose]()
  })

  /** Sends a request within a new trace, and returns its spans: the server span first, then in order of their start. */
  const traced = async (path: string, count: number, asked: RequestParts = {}): Promise<Traced> => {
    const traceId = newTrace()
    const traceparent = `00-${traceId}-${parentId}-01`
    const { status, text } = await sendRequest(url, path, {
      ...asked,
      headers: { traceparent, ...asked.headers },
    })
    return { status, text, traceId, ...(await spansOf(traceId, count)) }
  }

  const spansOf = async (traceId: string, count: number) => {
    const spans = [...(await collector.trace(traceId, count))].sort((a, b) => a.startMs - b.startMs)
    assert.equal(spans.length, count, JSON.stringify(spans.map(({ name }) => name)))
    const [server, ...calls] = spans
    assert.ok(server)
    assert.equal(server.kind, 'SERVER')
    return { server, calls }
  }

  test('begin with the span of the caller and end at the upstream', async () => {
    const { server, calls, text, traceId } = await traced('/plain/a?token=s3cr3t-value&x=1', 2, {
      headers: { tracestate: 'rojo=1, congo=2', baggage: 'tenant=blue', 'user-agent': 'tester' },
    })
    const [client] = calls
    const sent = (JSON.parse(text) as { headers: Record<string, string> }).headers
    assert.deepEqual([server.name, server.parentSpanId, server.status], ['GET /plain/*', parentId, 'UNSET'])
    assert.deepEqual([client?.name, client?.kind, client?.parentSpanId], ['Http', 'CLIENT', server.spanId])
    assert.equal(sent.traceparent, `00-${traceId}-${String(client?.spanId)}-01`)
    assert.deepEqual([sent.tracestate, sent.baggage], ['rojo=1,congo=2', 'tenant=blue'])
    assert.equal(server.traceState, 'rojo=1,congo=2')
    assert.deepEqual(
      pick(server, [
        'route',
        'http.method',
        'http.status',
        'http.path',
        'url.scheme',
        'network.protocol.version',
      ]),
      ['default/plain', 'GET', 200n, '/plain/a?token=<redacted>&x=1', 'http', '1.1'],
    )
    assert.deepEqual(pick(server, ['user.agent', 'who', 'src.addr', 'error', 'duration']).slice(0, 4), [
      'tester',
      'it',
      undefined,
      undefined,
    ])
    assert.deepEqual(
      pick(client, [
        'agentgateway.outbound.kind',
        'agentgateway.outbound.subtype',
        'http.status',
        'endpoint',
      ]),
      ['Primary', 'Http', 200n, echo.host],
    )
    assert.ok(client && server.startMs <= client.startMs && client.startMs <= client.endMs)
    assert.equal(JSON.stringify([server, client], stringified).includes('s3cr3t-value'), false)
  })

  test('are sent with headers and a resource', () => {
    const [sent] = collector.exports
    assert.deepEqual(
      [sent?.path, sent?.headers['x-tenant'], sent?.headers['content-type']],
      ['/v1/traces', 'blue', 'application/x-protobuf'],
    )
    const { 'service.instance.id': id, 'host.name': host, ...resource } = collector.resources[0] ?? {}
    assert.ok(id !== undefined && host !== undefined)
    assert.deepEqual(
      [
        resource['service.name'],
        resource['service.namespace'],
        resource['deployment.environment'],
        resource.team,
      ],
      ['edge', 'blue', 'test', 'blue'],
    )
    assert.equal(resource.shards, 3n)
  })

  test('have the name of an attribute', async () => {
    const { server } = await traced('/plain/named', 2)
    assert.deepEqual([server.name, server.attributes['span.name']], ['renamed', undefined])
  })

  test('are recorded as clients, chance and the filter decide', async () => {
    echo.status = 204
    await sendRequest(url, '/plain/filtered', { headers: { traceparent: `00-${newTrace()}-${parentId}-01` } })
    echo.status = 200
    const unsampled = `00-${newTrace()}-${parentId}-01`
    const passed = await sendRequest(url, '/plain/b', {
      headers: { traceparent: unsampled, 'x-sampled': 'no' },
    })
    assert.match(passed.text, new RegExp(unsampled), 'an unrecorded request keeps its context')
    const alone = await sendRequest(url, '/plain/b')
    assert.doesNotMatch(alone.text, /traceparent/)
    const drawn = JSON.parse((await sendRequest(url, '/plain/drawn')).text) as {
      headers: { traceparent: string }
    }
    const traceId = drawn.headers.traceparent.split('-')[1] ?? ''
    const { server } = await spansOf(traceId, 2)
    assert.equal(server.parentSpanId, '')
    const paths = collector.spans.map(({ attributes }) => attributes['http.path'])
    assert.deepEqual(
      paths.filter((path) => path === '/plain/filtered' || path === '/plain/b'),
      [],
    )
  })

  test('begin a new trace if the context of the client is invalid', async () => {
    const traceId = newTrace()
    const valid = `00-${traceId}-${parentId}-01`
    for (const headers of [{ traceparent: `${valid}x` }, { traceparent: [valid, valid] }]) {
      const reply = await sendRequest(url, '/plain/drawn', { headers: { ...headers, tracestate: 'a=1' } })
      const { headers: sent } = JSON.parse(reply.text) as { headers: Record<string, string> }
      assert.match(String(sent.traceparent), /^00-[\da-f]{32}-[\da-f]{16}-01$/)
      assert.equal(sent.traceparent?.includes(traceId), false)
      assert.equal(sent.tracestate, undefined)
    }
  })

  test('do not bring back a context that a policy removed', async () => {
    const { text } = await traced('/hidden', 2)
    assert.doesNotMatch(text, /traceparent/)
  })

  test('include callouts, whose services continue the trace', async () => {
    const { server, calls, traceId } = await traced('/authorized/a', 3)
    const [callout, attempt] = calls
    assert.deepEqual(
      pick(callout, ['agentgateway.outbound.kind', 'agentgateway.outbound.subtype', 'http.status']),
      ['Policy', 'ExtAuthz', 200n],
    )
    assert.deepEqual(
      [callout?.name, callout?.parentSpanId, attempt?.name],
      ['ExtAuthz', server.spanId, 'Http'],
    )
    const [asked, forwarded] = echo.asked.filter(({ headers }) =>
      String(headers.traceparent).includes(traceId),
    )
    assert.equal(asked?.headers.traceparent, `00-${traceId}-${String(callout?.spanId)}-01`)
    assert.equal(forwarded?.headers.traceparent, `00-${traceId}-${String(attempt?.spanId)}-01`)
  })

  test('include callouts over gRPC, with their status', async () => {
    const parents: unknown[] = []
    let code = 0
    await using service = await grpcServer([
      unary(Authorization.method.check, (_, { metadata }) => {
        parents.push(...metadata.get('traceparent'))
        return code === 0 ? { status: { code } } : Promise.reject(Object.assign(new Error('no'), { code }))
      }),
    ])
    const routes = [
      {
        policies: { extAuthz: { host: service.host, failureMode: 'allow' } },
        backends: [{ host: echo.host }],
      },
    ]
    await gateway.apply({ ...(configuration(collector, echo, toy) as object), routes } as GatewayConfig)
    const allowed = await traced('/', 3)
    assert.deepEqual(pick(allowed.calls[0], ['rpc.method', 'grpc.status', 'agentgateway.outbound.subtype']), [
      'envoy.service.auth.v3.Authorization/Check',
      0n,
      'ExtAuthz',
    ])
    assert.deepEqual(parents, [`00-${allowed.traceId}-${String(allowed.calls[0]?.spanId)}-01`])
    code = 13
    const failed = await traced('/', 3)
    assert.deepEqual([failed.calls[0]?.status, ...pick(failed.calls[0], ['grpc.status'])], ['ERROR', 13n])
    await gateway.apply(configuration(collector, echo, toy))
  })

  test('include each attempt', async () => {
    echo.status = 503
    const { server, calls } = await traced('/retried', 3)
    echo.status = 200
    assert.deepEqual(
      calls.map((call) => [call.status, ...pick(call, ['http.status', 'http.request.resend_count'])]),
      [
        ['ERROR', 503n, undefined],
        ['ERROR', 503n, 1n],
      ],
    )
    assert.deepEqual(pick(server, ['retry.attempt', 'http.status']), [1n, 503n])
    assert.equal(server.status, 'ERROR')
  })

  test('record failures as exceptions', async () => {
    const { server, calls, status } = await traced('/gone', 2)
    assert.equal(status, 503)
    const [attempt] = calls
    assert.deepEqual(
      [server.status, server.message, pick(attempt, ['error.type'])],
      ['ERROR', attempt?.message, ['upstream_connect']],
    )
    assert.equal(server.attributes['error.type'], undefined, 'a removed attribute')
    for (const span of [server, attempt]) {
      assert.equal(span?.events[0]?.name, 'exception')
      assert.equal(span.events[0].attributes['exception.type'], 'upstream_connect')
    }
    assert.match(String(server.events[0]?.attributes['exception.message']), /ECONNREFUSED/)
  })

  test('of language models have usage and cost', async () => {
    const { path, request: asked } = userMessage('completions', 'own', 'mock:say Hello there.')
    for (const request of [asked, userMessage('completions', 'own', 'mock:say Hello there.', true).request]) {
      const { server, calls } = await traced(path, 2, request)
      const [call] = calls
      assert.deepEqual([call?.name, call?.parentSpanId], ['chat own', server.spanId])
      for (const span of [server, call])
        assert.deepEqual(
          pick(span, [
            'gen_ai.operation.name',
            'gen_ai.provider.name',
            'gen_ai.request.model',
            'gen_ai.response.model',
          ]),
          ['chat', 'mock', 'own', 'own'],
        )
      for (const name of ['gen_ai.usage.input_tokens', 'gen_ai.usage.output_tokens'])
        assert.ok(
          Number(call?.attributes[name]) > 0 && call?.attributes[name] === server.attributes[name],
          name,
        )
      for (const name of ['total', 'input', 'output'])
        assert.ok(Number(server.attributes[`agw.ai.usage.cost.${name}`]) > 0, name)
    }
  })

  test('of MCP requests have the call of each server', async () => {
    const traceId = newTrace()
    const caller = new McpCaller(`${url}/mcp`, { traceparent: `00-${newTrace()}-${parentId}-01` })
    await caller.open()
    caller.fields.traceparent = `00-${traceId}-${parentId}-01`
    const called = await caller.request('tools/call', { name: 'add', arguments: {} })
    assert.equal(called.status, 200, called.text)
    const { server, calls } = await spansOf(traceId, 3)
    const [call, http] = calls
    assert.equal(server.name, 'tools/call')
    assert.deepEqual([call?.name, call?.parentSpanId], ['tools/call add', server.spanId])
    assert.deepEqual([http?.name, http?.parentSpanId], ['Http', call?.spanId])
    assert.deepEqual(
      pick(call, ['mcp.method.name', 'mcp.target', 'gen_ai.tool.name', 'agentgateway.outbound.subtype']),
      ['tools/call', 'toy', 'add', 'Mcp'],
    )
    const request = toy.requestsOf('add').at(-1)
    const meta = (request?.body.params as { _meta?: { traceparent?: string } } | undefined)?._meta
    assert.equal(meta?.traceparent, `00-${traceId}-${String(call?.spanId)}-01`)
    assert.equal(request?.headers.traceparent, `00-${traceId}-${String(http?.spanId)}-01`)
  })

  test('go to another collector after a reload, and over gRPC', async () => {
    await using other = await startGrpcCollector()
    const policies = { backendAuth: { key: 'key-of-the-collector' } }
    const target = { host: other.host, protocol: 'grpc', policies }
    await gateway.apply(configuration(collector, echo, toy, target))
    const traceId = newTrace()
    await sendRequest(url, '/plain/c', { headers: { traceparent: `00-${traceId}-${parentId}-01` } })
    assert.equal((await other.trace(traceId, 2)).length, 2)
    const [sent] = other.exports
    assert.deepEqual(
      [sent?.headers['x-tenant'], sent?.headers.authorization],
      ['blue', 'Bearer key-of-the-collector'],
    )
    await gateway.apply(configuration(collector, echo, toy))
  })

  test('are sent before the gateway ends', async () => {
    const slow = { ...env, OTEL_BSP_SCHEDULE_DELAY: '600000' }
    const policies = { backendAuth: { key: 'key-of-the-collector' } }
    const closing = await createGateway(configuration(collector, echo, toy, { policies }), { env: slow })
    const traceId = newTrace()
    const headers = { traceparent: `00-${traceId}-${parentId}-01` }
    await sendRequest(closing.addresses[0]?.url ?? '', '/plain/d', { headers })
    assert.equal(collector.spans.filter((span) => span.traceId === traceId).length, 0)
    await closing.close()
    assert.equal((await collector.trace(traceId, 2)).length, 2)
    const credentials = collector.exports.map(({ headers }) => headers.authorization)
    assert.ok(credentials.includes('Bearer key-of-the-collector'), credentials.join())
  })
})

interface Traced {
  readonly status: number
  readonly text: string
  readonly traceId: string
  readonly server: DecodedSpan
  readonly calls: readonly DecodedSpan[]
}

const pick = (span: DecodedSpan | undefined, names: readonly string[]): readonly unknown[] =>
  names.map((name) => span?.attributes[name])

const stringified = (_: string, value: unknown): unknown =>
  typeof value === 'bigint' ? String(value) : value
