import type { MessageInitShape } from '@bufbuild/protobuf'
import assert from 'node:assert/strict'
import { after, before, beforeEach, suite, test } from 'node:test'
import {
  AuthorizationError_Code as Code,
  ExtMcp,
  type McpRequest,
  type McpRequestResultSchema,
  type McpResponse,
  type McpResponseResultSchema,
} from '../../../src/protocols/grpc/ext-mcp.gen.ts'
import type { JsonObject } from '../../../src/protocols/json-rpc/message.ts'
import { type GrpcServer, grpcServer, unary } from '../../support/grpc-server.ts'
import { type McpDaemon, programTarget, startMcpDaemon } from '../../support/mcp/mcp-daemon.ts'
import { type RawMcpResponse, RawMcp } from '../../support/mcp/raw-mcp.ts'

type Verdict = MessageInitShape<typeof McpRequestResultSchema>
type ResponseVerdict = MessageInitShape<typeof McpResponseResultSchema>

const demo = new URL('../../../config/demo-mcp-server.js', import.meta.url).pathname
const parsed = (bytes: Uint8Array | undefined): JsonObject =>
  bytes === undefined ? {} : (JSON.parse(Buffer.from(bytes).toString()) as JsonObject)
const bytes = (value: object) => Buffer.from(JSON.stringify(value))
const pass = { result: { case: 'pass', value: {} } } as const

/** The last message of a reply. */
const outcomeOf = ({ messages }: RawMcpResponse): JsonObject => messages.at(-1) as JsonObject
const textOf = (answer: RawMcpResponse): unknown =>
  (outcomeOf(answer).result as { content?: { text: string }[] } | undefined)?.content?.[0]?.text

suite('mcpGuardrails', () => {
  let server: GrpcServer
  let one: McpDaemon
  let two: McpDaemon
  let down: McpDaemon
  const asked: McpRequest[] = []
  const credentials: unknown[] = []
  const shown: McpResponse[] = []
  let decide: (request: McpRequest) => Verdict
  let judge: (response: McpResponse) => ResponseVerdict

  before(async () => {
    server = await grpcServer([
      unary(ExtMcp.method.checkRequest, (request, call) => {
        asked.push(request)
        credentials.push(...call.metadata.get('authorization'))
        return decide(request)
      }),
      unary(ExtMcp.method.checkResponse, (response) => {
        shown.push(response)
        return judge(response)
      }),
    ])
    const guardedBy = (host: string) => ({
      policies: {
        mcpGuardrails: {
          processors: [
            {
              kind: 'remote',
              host,
              policies: { backendAuth: { key: 'of-the-gateway' } },
              methods: { 'tools/*': 'full', 'prompts/list': 'off' },
              metadata: { tool: 'mcp.tool.name', method: 'mcp.methodName' },
              requestHeaders: { allowed: ['x-user', ':path'] },
            },
          ],
        },
      },
    })
    const target = (name: string) => programTarget(name, demo)
    ;[one, two, down] = await Promise.all([
      startMcpDaemon([target('only')], guardedBy(server.host)),
      startMcpDaemon([target('left'), target('right')], guardedBy(server.host)),
      startMcpDaemon([target('only')], guardedBy('127.0.0.1:1')),
    ])
  })
  after(async () => {
    // Disposed first: a daemon that did not start must not keep the test from ending.
    await server[Symbol.asyncDispose]()
    await Promise.all([one, two, down].map((daemon) => daemon[Symbol.asyncDispose]()))
  })
  beforeEach(() => {
    asked.length = shown.length = credentials.length = 0
    decide = judge = () => pass
  })

  /** Calls a tool as a client of either era. */
  const callers = {
    legacy: async ({ url }: McpDaemon, params: JsonObject) => {
      const client = new RawMcp(url)
      await client.open({})
      return client.legacy('tools/call', params)
    },
    modern: ({ url }: McpDaemon, params: JsonObject) =>
      new RawMcp(url).modern('tools/call', params, { 'x-user': 'ann', 'x-other': '1' }),
  }
  const echo = (message: string, name = 'echo') => ({ name, arguments: { message } })

  for (const [era, call] of Object.entries(callers)) {
    test(`processes calls and results of ${era} clients unchanged`, async () => {
      assert.equal(textOf(await call(one, echo('hi'))), 'hi')
      const [request] = asked as [McpRequest]
      assert.deepEqual([asked.length, shown.length], [1, 1])
      assert.deepEqual([request.method, request.serviceNames], ['tools/call', ['only']])
      assert.deepEqual(request.metadataContext, { tool: 'echo', method: 'tools/call' })
      const { name, arguments: given } = parsed(request.mcpRequest)
      assert.deepEqual([name, given], ['echo', { message: 'hi' }])
      assert.match(Buffer.from(shown[0]?.mcpResponse ?? []).toString(), /"text":"hi"/)
      const headers = request.headers.map(({ key, value }) => [key, Buffer.from(value).toString()])
      assert.deepEqual(headers, [[':path', '/mcp'], ...(era === 'modern' ? [['x-user', 'ann']] : [])])
    })

    test(`sends credentials to its service for ${era} clients, and records the duration`, async () => {
      const count = async () => {
        const metrics = await (await fetch(`${one.daemon.url('stats')}/metrics`)).text()
        return Number(
          /duration_seconds_count\{kind="Policy",subtype="Guardrail"\} (\d+)/.exec(metrics)?.[1] ?? 0,
        )
      }
      const before = await count()
      await call(one, echo('hi'))
      assert.deepEqual(credentials, ['Bearer of-the-gateway'])
      assert.equal((await count()) - before, 2)
    })

    test(`changes calls and results of ${era} clients`, async () => {
      decide = ({ mcpRequest }) => {
        const params = parsed(mcpRequest)
        return { result: { case: 'mutated', value: bytes({ ...params, arguments: { message: 'changed' } }) } }
      }
      judge = ({ mcpResponse }) => {
        const text = Buffer.from(mcpResponse).toString().replace('changed', 'changed twice')
        return { result: { case: 'mutated', value: Buffer.from(text) } }
      }
      assert.equal(textOf(await call(one, echo('hi'))), 'changed twice')
    })

    test(`refuses calls of ${era} clients with a JSON-RPC error`, async () => {
      decide = () => ({
        result: { case: 'error', value: { code: Code.PERMISSION_DENIED, reason: 'not you' } },
      })
      const answer = await call(one, echo('hi'))
      assert.equal(answer.status, 200)
      assert.deepEqual(outcomeOf(answer).error, { code: -32001, message: 'not you' })
      assert.equal(shown.length, 0)
    })

    test(`refuses results for ${era} clients`, async () => {
      judge = () => ({ result: { case: 'error', value: { code: Code.INVALID, reason: 'secret' } } })
      assert.deepEqual(outcomeOf(await call(one, echo('hi'))).error, { code: -32600, message: 'secret' })
    })

    test(`blocks everything of ${era} clients while the service is down`, async () => {
      assert.deepEqual(outcomeOf(await call(down, echo('hi'))).error, {
        code: -32603,
        message: 'mcpGuardrails checkRequest failed: upstream call failed: the service cannot be reached',
      })
    })
  }

  test("sends the server's own names, with several servers", async () => {
    const client = new RawMcp(two.url)
    assert.equal(textOf(await client.modern('tools/call', echo('hi', 'right_echo'))), 'hi')
    assert.deepEqual([asked[0]?.serviceNames, parsed(asked[0]?.mcpRequest).name], [['right'], 'echo'])
  })

  test('processes a merged list once, and can remove items', async () => {
    judge = ({ mcpResponse }) => {
      const { tools, ...rest } = parsed(mcpResponse) as { tools: { name: string }[] }
      return {
        result: {
          case: 'mutated',
          value: bytes({ ...rest, tools: tools.filter(({ name }) => name.endsWith('add')) }),
        },
      }
    }
    const client = new RawMcp(two.url)
    const { tools } = outcomeOf(await client.modern('tools/list')).result as { tools: { name: string }[] }
    assert.deepEqual(
      tools.map(({ name }) => name),
      ['left_add', 'right_add'],
    )
    assert.deepEqual([asked.length, shown.length, shown[0]?.serviceNames], [1, 1, ['left', 'right']])
  })

  test('does not process methods that are not configured, or requests that rules refuse', async () => {
    const client = new RawMcp(one.url)
    await client.modern('prompts/list')
    await client.modern('resources/list')
    await new RawMcp(two.url).modern('tools/call', echo('hi', 'nowhere_echo'))
    assert.deepEqual([asked.length, shown.length], [0, 0])
  })
})
