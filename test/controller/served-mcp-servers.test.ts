import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, suite, test } from 'node:test'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Daemon } from '../support/daemon.ts'
import { McpCaller } from '../support/mcp/mcp-caller.ts'
import { olderTransport } from '../support/mcp/older-transport.ts'
import { type ScriptedServer, startScripted } from '../support/mcp/scripted-server.ts'
import { startToy, type ToyServer } from '../support/mcp/toy-server.ts'
import { sendRequest } from '../support/send-request.ts'
import { goldenGraph, readGoldenObjects } from './support/golden-objects.ts'
import { serveGateway } from './support/served-gateway.ts'

/*
 * MCP servers of a cluster, as they are written there, served by a gateway in its own process to clients of MCP.
 */

/** A Service with one endpoint. */
const service = (name: string, port: number, appProtocol: string, labels = '{ mcp: shared }'): string => `
---
kind: Service
metadata: { namespace: shop, name: ${name}, labels: ${labels} }
spec: { clusterIP: 10.96.0.1, ports: [{ name: mcp, port: 8000, appProtocol: ${appProtocol} }] }
---
kind: EndpointSlice
metadata: { namespace: shop, name: ${name}, labels: { kubernetes.io/service-name: ${name} } }
addressType: IPv4
ports: [{ name: mcp, port: ${port} }]
endpoints: [{ addresses: [192.0.2.10], conditions: { ready: true } }]
`

const common = `
kind: GatewayClass
metadata: { name: agentgateway }
spec: { controllerName: agentgateway.dev/agentgateway }
---
kind: Gateway
metadata: { namespace: shop, name: web }
spec:
  gatewayClassName: agentgateway
  listeners: [{ name: any, port: 8080, protocol: HTTP }]
`

/** A ProxyBackend behind the path of its name. */
const backend = (name: string, spec: string): string => `
---
kind: HTTPRoute
metadata: { namespace: shop, name: ${name} }
spec:
  parentRefs: [{ name: web }]
  rules:
    - matches: [{ path: { type: PathPrefix, value: /${name} } }]
      backendRefs: [{ group: agentgateway.dev, kind: ProxyBackend, name: ${name} }]
---
kind: ProxyBackend
metadata: { namespace: shop, name: ${name} }
spec: ${spec}
`

const policy = (name: string, target: string, fields: string): string => `
---
kind: ProxyPolicy
metadata: { namespace: shop, name: ${name} }
spec:
  targetRefs: [{ group: agentgateway.dev, kind: ProxyBackend, ${target} }]
  backend: ${fields}
`

const allow = (expression: string) =>
  `mcp: { authorization: { policy: { matchExpressions: ['${expression}'] } } }`
const missingSecret = 'auth: { secretRef: { name: missing } }'

suite('MCP servers of a cluster', { concurrency: false }, () => {
  const stack = new AsyncDisposableStack()
  let toy: ToyServer
  let older: ScriptedServer
  let gateway: Daemon
  before(async () => {
    older = stack.use(await startScripted(olderTransport()))
    toy = stack.use(await startToy({ tools: ['add', 'remove'] }))
    const port = (url: string) => Number(new URL(url).port)
    const host = `{ host: 127.0.0.1, port: ${port(toy.url)} }`
    const two = `[{ name: all, selector: { services: { matchLabels: { mcp: shared } } } }]`
    const both = `[{ name: toy, static: ${host} }, { name: dead, static: { backendRef: { name: none }, port: 80 } }]`
    const unauthenticated = `{ host: 127.0.0.1, port: ${port(toy.url)}, policies: { ${missingSecret} } }`
    const objects = [
      common,
      service('toy', port(toy.url), 'agentgateway.dev/mcp'),
      service('older', port(older.origin), 'agentgateway.dev/mcp-sse'),
      service('named', port(toy.url), 'http', '{}'),
      backend('two', `{ mcp: { targets: ${two} } }`),
      backend(
        'one',
        '{ mcp: { targets: [{ name: toy, static: { backendRef: { name: named }, port: 8000 } }] } }',
      ),
      backend('ruled', `{ mcp: { targets: ${two} }, policies: { ${allow('mcp.tool.name == "add"')} } }`),
      backend('partial', `{ mcp: { failureMode: FailOpen, targets: ${both} } }`),
      backend('closed', `{ mcp: { targets: ${both} } }`),
      backend('keyless', `{ mcp: { targets: [{ name: toy, static: ${unauthenticated} }] } }`),
      backend('unguarded', `{ mcp: { targets: [{ name: toy, static: ${host} }] } }`),
      policy('key', 'name: two, sectionName: toy-mcp', '{ auth: { key: of-toy } }'),
      policy('keys', 'name: partial', '{ auth: { key: of-all } }'),
      policy(
        'guard',
        'name: unguarded',
        '{ mcp: { guardrails: { processors: [{ remote: { backendRef: { name: none, port: 1 } }, methods: { tools/call: Full } }] } } }',
      ),
    ].join('')
    gateway = stack.use(
      await serveGateway(goldenGraph(readGoldenObjects(objects, (text) => text)), 'shop/web'),
    )
  })
  after(() => stack.disposeAsync())

  const url = (name: string) => `${gateway.url('web')}/${name}/mcp`

  /** Uses an official client. */
  const withClient = async <T>(name: string, use: (client: Client) => Promise<T>): Promise<T> => {
    const client = new Client({ name: 'test', version: '1.0.0' })
    await client.connect(new StreamableHTTPClientTransport(new URL(url(name))))
    try {
      return await use(client)
    } finally {
      await client.close()
    }
  }

  const toolsOf = (name: string) =>
    withClient(name, async (client) => (await client.listTools()).tools.map((tool) => tool.name).sort())

  test('are found by labels, each with the transport of its port, and serve as one', async () => {
    const { tools, results } = await withClient('two', async (client) => ({
      tools: (await client.listTools()).tools.map(({ name }) => name).sort(),
      results: [
        await client.callTool({ name: 'toy-mcp_add' }),
        await client.callTool({ name: 'older-mcp_add' }),
      ],
    }))
    assert.deepEqual(tools, ['older-mcp_add', 'toy-mcp_add', 'toy-mcp_remove'])
    assert.deepEqual(
      results.map((result) => result.content),
      [[{ type: 'text', text: 'add done' }], [{ type: 'text', text: 'add done' }]],
    )
  })

  test('have policies of their own', () => {
    const keys = toy.requestsOf('add').map(({ headers }) => headers.authorization)
    assert.deepEqual(keys, ['Bearer of-toy'])
    assert.ok(older.requests.length > 0)
    assert.ok(older.requests.every(({ headers }) => headers.authorization === undefined))
  })

  test('are named by a reference, too, and are alone without a prefix', async () => {
    assert.deepEqual(await toolsOf('one'), ['add', 'remove'])
  })

  test('show only the tools that the policy of the backend allows', async () => {
    assert.deepEqual(await toolsOf('ruled'), ['older-mcp_add', 'toy-mcp_add'])
  })

  test('keep the names of their tools when another one leads nowhere', async () => {
    assert.deepEqual(await toolsOf('partial'), ['toy_add', 'toy_remove'])
    await assert.rejects(toolsOf('closed'))
  })

  test('get nothing where a policy about access or credentials is broken', async () => {
    // Sessions of other tests may still be ending.
    const begun = () => toy.requestsOf('initialize').length
    const before = begun()
    for (const [name, status] of [
      ['unguarded', 403],
      ['keyless', 200],
    ] as const) {
      const { status: got, response } = await new McpCaller(url(name)).open()
      assert.equal(got, status, name)
      assert.equal(response?.result, undefined)
    }
    assert.equal(begun(), before)
  })
})

for (const name of ['proxy-backend-mcp-authentication', 'policy-mcp-authentication-of-backend'])
  test(`clients log in: ${name}`, async () => {
    const objects = [
      readFileSync('test/controller/golden/cluster.yaml', 'utf8'),
      readFileSync(`test/controller/golden/${name}/in.yaml`, 'utf8'),
    ].flatMap((text) => readGoldenObjects(text, (value) => value))
    await using gateway = await serveGateway(goldenGraph(objects), 'infra/gateway')
    const url = `${gateway.url('gateway')}/mcp`
    const { status, headers } = await new McpCaller(url).open()
    assert.equal(status, 401)
    assert.match(
      String(headers['www-authenticate']),
      /resource_metadata="[^"]*oauth-protected-resource\/mcp"/,
    )
    const metadata = await sendRequest(gateway.url('gateway'), '/.well-known/oauth-protected-resource/mcp')
    assert.equal((JSON.parse(metadata.text) as { resource: unknown }).resource, 'https://mcp.example.com/mcp')
  })
