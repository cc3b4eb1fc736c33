import type { MessageInitShape } from '@bufbuild/protobuf'
import { status } from '@grpc/grpc-js'
import assert from 'node:assert/strict'
import { after, before, beforeEach, suite, test } from 'node:test'
import type { Exchange } from '../../../../src/model/exchange/exchange.ts'
import { mcpGuards } from '../../../../src/operators/mcp/guardrails/mcp-guardrails.ts'
import type { ProcessorOptions } from '../../../../src/operators/mcp/guardrails/processor.ts'
import { ConcurrencyLimit } from '../../../../src/operators/concurrency-limit.ts'
import {
  AuthorizationError_Code as Code,
  ExtMcp,
  type McpRequest,
  type McpRequestResultSchema,
  type McpResponse,
  type McpResponseResultSchema,
} from '../../../../src/protocols/grpc/ext-mcp.gen.ts'
import { exchange } from '../../../../src/testing/index.ts'
import type { GrpcService } from '../../../../src/upstream/grpc/grpc-client.ts'
import { Registry } from '../../../../src/upstream/registry.ts'
import { fails, gives } from '../../../support/evaluate.ts'
import { type GrpcServer, grpcServer, unary } from '../../../support/grpc-server.ts'
import { backendsAt, snapshotOf } from '../../../support/resources.ts'
import { resourceIndex } from '../../../../src/model/resources/resource-index.ts'

type Verdict = MessageInitShape<typeof McpRequestResultSchema>
type ResponseVerdict = MessageInitShape<typeof McpResponseResultSchema>

const bytes = (value: unknown) => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value))
const pass = { result: { case: 'pass', value: {} } } as const
const mutated = (value: unknown) => ({ result: { case: 'mutated', value: bytes(value) } }) as const
const error = (code: Code, reason = 'no', mcpError?: unknown) =>
  ({
    result: {
      case: 'error',
      value: { code, reason, ...(mcpError === undefined ? {} : { mcpError: bytes(mcpError) }) },
    },
  }) as const

suite('MCP guardrail services', () => {
  let server: GrpcServer
  let client: GrpcService
  let dead: GrpcService
  const registry = new Registry()
  const concerned: McpRequest[] = []
  const shown: McpResponse[] = []
  let decide: (request: McpRequest) => Verdict | Promise<Verdict>
  let judge: (response: McpResponse) => ResponseVerdict | Promise<ResponseVerdict>

  before(async () => {
    server = await grpcServer([
      unary(ExtMcp.method.checkRequest, (request) => {
        concerned.push(request)
        return decide(request)
      }),
      unary(ExtMcp.method.checkResponse, (response) => {
        shown.push(response)
        return judge(response)
      }),
    ])
    const session = registry.session(resourceIndex(backendsAt({})), () => assert.fail())
    const clientOf = (port: number) =>
      session.grpc({ kind: 'host', target: { host: '127.0.0.1', port } }, {}) ?? assert.fail()
    client = clientOf(server.port)
    dead = clientOf(1)
    session.commit(snapshotOf(backendsAt({})))
  })
  after(async () => {
    await registry.close(0)
    await server[Symbol.asyncDispose]()
  })
  beforeEach(() => {
    concerned.length = shown.length = 0
    decide = judge = () => pass
  })

  const processor = (more: Partial<ProcessorOptions> = {}): ProcessorOptions => ({
    service: client,
    timeoutMs: 5000,
    limit: new ConcurrencyLimit(10),
    failureMode: 'failClosed',
    methods: [['*', 'full']],
    metadata: [],
    requestHeaders: { allowed: [], disallowed: [] },
    ...more,
  })
  const params = { name: 'echo', arguments: { text: 'größe' } }
  const request = (more: Partial<ProcessorOptions> = {}, x: Exchange = exchange()) =>
    mcpGuards([processor(more)]).request('tools/call', params, x, ['files'])
  const textOf = (message: Uint8Array | undefined) => message && Buffer.from(message).toString()

  test('get the call, its target and its request', async () => {
    const x = exchange({
      method: 'POST',
      path: '/mcp?x=1',
      headers: { 'x-one': ['1', '2'], 'x-latin': '\xe4' },
    })
    const metadata = [
      ['user', gives('ann')],
      ['gone', fails()],
      ['n', gives(2n)],
    ] as const
    assert.deepEqual(await request({ metadata }, x), {})
    const [{ serviceNames, method, metadataContext, mcpRequest, headers }] = concerned as [McpRequest]
    assert.deepEqual(
      [serviceNames, method, metadataContext],
      [['files'], 'tools/call', { user: 'ann', n: 2 }],
    )
    assert.deepEqual(JSON.parse(textOf(mcpRequest) ?? ''), params)
    assert.deepEqual(
      headers.map(({ key, value }) => [key, Buffer.from(value).toString('latin1')]),
      [
        [':method', 'POST'],
        [':scheme', 'http'],
        [':authority', 'gateway.test'],
        [':path', '/mcp?x=1'],
        ['x-one', '1'],
        ['x-one', '2'],
        ['x-latin', '\xe4'],
      ],
    )
  })

  test('get absent params as absent', async () => {
    await mcpGuards([processor()]).request('tools/list', undefined, exchange())
    assert.deepEqual([concerned[0]?.mcpRequest, concerned[0]?.serviceNames], [undefined, []])
  })

  test('get only the configured headers', async () => {
    const headers = { authorization: 'Bearer x', 'x-a': '1', 'x-b': '2' }
    const verdict = async (allowed: string[], disallowed: string[]) => {
      concerned.length = 0
      await request({ requestHeaders: { allowed, disallowed } }, exchange({ headers }))
      return concerned[0]?.headers.map(({ key }) => key)
    }
    assert.deepEqual(await verdict(['x-a', 'x-b', ':path', 'x-none'], ['x-b']), [':path', 'x-a'])
    assert.deepEqual(await verdict([], ['authorization', ':authority']), [
      ':method',
      ':scheme',
      ':path',
      'x-a',
      'x-b',
    ])
  })

  test('get the result, and may change it', async () => {
    const guards = mcpGuards([processor({ metadata: [['a', gives(true)]] })])
    const result = { content: [] }
    assert.deepEqual(await guards.response('tools/call', result, exchange(), ['files']), {})
    const [{ serviceNames, method, metadataContext, mcpResponse }] = shown as [McpResponse]
    assert.deepEqual(
      [serviceNames, method, metadataContext, textOf(mcpResponse)],
      [['files'], 'tools/call', { a: true }, '{"content":[]}'],
    )
    judge = () => mutated({ content: ['x'] })
    assert.deepEqual(await guards.response('tools/call', result, exchange()), { result: { content: ['x'] } })
    judge = () => error(Code.INVALID)
    assert.deepEqual(await guards.response('tools/call', result, exchange()), {
      error: { code: -32600, message: 'no' },
    })
  })

  test('may change the params', async () => {
    decide = () => mutated({ name: 'other' })
    assert.deepEqual(await request(), { params: { name: 'other' } })
  })

  const refusals: readonly (readonly [
    what: string,
    verdict: Verdict,
    code: number,
    message: string,
    data?: unknown,
  ])[] = [
    ['what is not allowed', error(Code.PERMISSION_DENIED), -32001, 'no'],
    ['what is too much', error(Code.RESOURCE_EXHAUSTED), -32003, 'no'],
    ['what is wrong', error(Code.INVALID), -32600, 'no'],
    ['with an unknown code', error(Code.UNKNOWN), -32603, 'no'],
    ['with a code that is not known', error(9 as Code), -32603, 'no'],
    ['without a reason', error(Code.INVALID, ''), -32600, 'refused by a guardrail'],
    [
      'with their own text',
      error(Code.INVALID, 'no', { code: -1, message: 'own', data: [1] }),
      -1,
      'own',
      [1],
    ],
    ['with an invalid text', error(Code.INVALID, 'no', 'own'), -32600, 'no'],
    ['with a text without a code', error(Code.INVALID, 'no', { message: 'own' }), -32600, 'no'],
  ]
  for (const [what, verdict, code, message, data] of refusals)
    test(`refuse ${what}, whatever the failure mode`, async () => {
      decide = () => verdict
      for (const failureMode of ['failClosed', 'failOpen'] as const)
        assert.deepEqual(await request({ failureMode }), {
          error: { code, message, ...(data === undefined ? {} : { data }) },
        })
    })

  test('change headers of the request, except framing headers', async () => {
    const set = Object.entries({
      'X-User': 'ann',
      'content-length': '9',
      'x-bad': 'a\nb',
      'x-latin': '\xe4',
    }).map(([key, value]) => ({
      key,
      value: Buffer.from(value, 'latin1'),
    }))
    decide = () => ({ ...pass, headerMutation: { set, remove: ['X-Gone', 'host', 'x-user'] } })
    const x = exchange({ headers: { 'x-user': 'eve', 'x-gone': '1', 'content-length': '5' } })
    await request({}, x)
    assert.deepEqual(
      [...x.request.headers.entries()],
      [
        ['content-length', '5'],
        ['x-user', 'ann'],
        ['x-latin', '\xe4'],
      ],
    )
  })

  test('change no headers of a refused request', async () => {
    decide = () => ({ ...error(Code.INVALID), headerMutation: { remove: ['x-a'] } })
    const x = exchange({ headers: { 'x-a': '1' } })
    await request({}, x)
    assert.equal(x.request.headers.get('x-a'), '1')
  })

  test('set metadata for expressions', async () => {
    const x = exchange()
    decide = () => ({ ...pass, metadata: { score: 0.5, tags: ['a'] } })
    await request({}, x)
    decide = () => ({ ...error(Code.INVALID), metadata: { score: 1 } })
    await request({}, x)
    assert.deepEqual(x.policy.mcpGuardrails, { score: 1, tags: ['a'] })
  })

  test('run in order, each with the result of the one before', async () => {
    const guards = mcpGuards([processor(), processor({ methods: [['*', 'response']] }), processor()])
    decide = ({ mcpRequest }) => mutated({ of: JSON.parse(textOf(mcpRequest) ?? '') as unknown })
    assert.deepEqual(await guards.request('m', {}, exchange()), { params: { of: { of: {} } } })
    assert.equal(concerned.length, 2)
    decide = ({ mcpRequest }) => (textOf(mcpRequest) === '{}' ? mutated({ a: 1 }) : pass)
    assert.deepEqual(await guards.request('m', {}, exchange()), { params: { a: 1 } })
    judge = ({ mcpResponse }) => mutated({ of: JSON.parse(textOf(mcpResponse) ?? '') as unknown })
    assert.deepEqual(await guards.response('m', {}, exchange()), { result: { of: { of: { of: {} } } } })
  })

  test('do not run after a refusal', async () => {
    decide = () => error(Code.PERMISSION_DENIED)
    await mcpGuards([processor(), processor()]).request('m', {}, exchange())
    assert.equal(concerned.length, 1)
  })

  test('run for the configured methods only', async () => {
    const guards = mcpGuards([
      processor({ methods: [['tools/call', 'request']] }),
      processor({ methods: [['tools/*', 'response']] }),
    ])
    assert.deepEqual(
      ['tools/call', 'tools/list', 'ping'].map((method) => guards.concerns(method)),
      ['full', 'response', 'off'],
    )
    await guards.request('tools/list', {}, exchange())
    await guards.response('ping', {}, exchange())
    assert.deepEqual([concerned.length, shown.length], [0, 0])
  })

  const failures: readonly (readonly [what: string, make: () => Partial<ProcessorOptions>, why: string])[] = [
    ['are away', () => ({ service: dead }), 'upstream call failed: the service cannot be reached'],
    [
      'respond with an error',
      () => {
        decide = () => Promise.reject(Object.assign(new Error('boom'), { code: status.INTERNAL }))
        return {}
      },
      'upstream call failed: the service answered with an error',
    ],
    [
      'take too long',
      () => {
        decide = () => new Promise(() => undefined)
        return { timeoutMs: 50 }
      },
      'upstream call timeout',
    ],
    [
      'do not respond',
      () => {
        decide = () => ({})
        return {}
      },
      'the service gave no result',
    ],
    [
      'give something else than params',
      () => {
        decide = () => mutated([1])
        return {}
      },
      'the service gave something else than a JSON object',
    ],
    [
      'give something else than text',
      () => {
        decide = () => ({ result: { case: 'mutated', value: Buffer.from('{"a":"\xff"}', 'latin1') } })
        return {}
      },
      'the service gave something else than a JSON object',
    ],
    ['have too much to do', () => ({ limit: new ConcurrencyLimit(0) }), 'too many wait already'],
  ]
  for (const [what, make, why] of failures)
    test(`refuse if they ${what}, unless they fail open`, async () => {
      const more = make()
      assert.deepEqual(await request(more), {
        error: { code: -32603, message: `mcpGuardrails checkRequest failed: ${why}` },
      })
      assert.deepEqual(await request({ ...more, failureMode: 'failOpen' }), {})
    })

  test('refuse if they cannot get a result', async () => {
    const guards = mcpGuards([processor({ service: dead })])
    assert.deepEqual(await guards.response('m', {}, exchange()), {
      error: {
        code: -32603,
        message: 'mcpGuardrails checkResponse failed: upstream call failed: the service cannot be reached',
      },
    })
  })

  test('are cancelled when the client disconnects', async () => {
    let arrived: () => void = () => undefined
    const arrival = new Promise<void>((resolve) => (arrived = resolve))
    decide = () => {
      arrived()
      return new Promise(() => undefined)
    }
    const x = exchange()
    const running = request({ failureMode: 'failOpen' }, x)
    await arrival
    x.cancel()
    await assert.rejects(running, { code: 'abandoned' })
  })
})
