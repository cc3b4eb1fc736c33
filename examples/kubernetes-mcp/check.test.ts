import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Graph } from '../../src/controller/graph/graph.ts'
import type { Condition } from '../../src/controller/kinds/object.ts'
import { proxyBackendStatus } from '../../src/controller/translate/backend/proxy-backend-status.ts'
import { ownGatewayClass } from '../../src/controller/translate/gateway-class/own-gateway-class.ts'
import { proxyPolicyStatus } from '../../src/controller/translate/policy/proxy-policy-status.ts'
import { httpRouteStatus } from '../../src/controller/translate/route/route-status.ts'
import { goldenGraph, readGoldenObjects } from '../../test/controller/support/golden-objects.ts'
import { serveGateway } from '../../test/controller/support/served-gateway.ts'
import { anyPorts, type Daemon, startDaemon } from '../../test/support/daemon.ts'

const text = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8')

/** The objects of manifests; Deployments are for Kubernetes alone. */
const exampleGraph = (...names: readonly string[]): Graph => {
  const documents = names
    .flatMap((name) => text(name).split(/^---$/m))
    .filter((document) => !/^kind: Deployment$/m.test(document))
  const graph = goldenGraph(readGoldenObjects(documents.join('---\n'), (value) => value))
  const settings = {
    controllerName: 'agentgateway.dev/agentgateway',
    gatewayClassName: 'agentgateway',
    clusterDomain: 'cluster.local',
  }
  graph.set('GatewayClass', 'agentgateway', ownGatewayClass(settings))
  return graph
}

/** What a pod of the servers runs: the demo of the default configuration. */
const startServer = (): Promise<Daemon> =>
  startDaemon(`${anyPorts}
gateways: { default: { address: 127.0.0.1, port: 0 } }
routes:
  - matches: [{ path: { exact: /mcp } }]
    backends: [{ mcp: { dnsRebindingProtection: false, targets: [{ name: demo, stdio: { cmd: node, args: [config/demo-mcp-server.js] } }] } }]
`)

const withEndpoint = (graph: Graph, service: string, server: Daemon): void => {
  graph.set('EndpointSlice', `tools/${service}`, {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { namespace: 'tools', name: service, labels: { 'kubernetes.io/service-name': service } },
    addressType: 'IPv4',
    ports: [{ name: 'mcp', port: Number(new URL(server.url('default')).port), protocol: 'TCP' }],
    endpoints: [{ addresses: ['192.0.2.10'], conditions: { ready: true } }],
  })
}

/** Uses the official client. */
const withClient = async <T>(gateway: Daemon, use: (client: Client) => Promise<T>): Promise<T> => {
  const client = new Client({ name: 'check', version: '1.0.0' })
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', gateway.url('tools'))))
  try {
    return await use(client)
  } finally {
    await client.close()
  }
}

const toolsOf = (gateway: Daemon) =>
  withClient(gateway, async (client) => (await client.listTools()).tools.map(({ name }) => name).sort())

test('examples/kubernetes-mcp', async (t) => {
  const files = ['server.yaml', 'gateway.yaml', 'second-server.yaml', 'remote.yaml', 'policies.yaml']

  await t.test('is accepted', () => {
    const graph = exampleGraph(...files)
    const statuses = [
      graph.read(proxyBackendStatus, 'tools/tools'),
      graph.read(proxyBackendStatus, 'tools/assistant'),
      ...['tools', 'assistant'].flatMap((route) => graph.read(httpRouteStatus, `tools/${route}`)?.parents),
      ...['tools-rules', 'calendar-limits'].flatMap(
        (policy) => graph.read(proxyPolicyStatus, `tools/${policy}`)?.ancestors,
      ),
    ] as readonly ({ readonly conditions?: readonly Condition[] } | undefined)[]
    assert.deepEqual(
      statuses.map((status) => status?.conditions?.map(({ type, reason }) => `${type} ${reason}`).join()),
      [
        ...['tools', 'assistant'].map(() => 'Accepted Accepted'),
        ...['tools', 'assistant'].map(() => 'Accepted Accepted,ResolvedRefs ResolvedRefs'),
        ...['tools-rules', 'calendar-limits'].map(() => 'Accepted Valid,Attached Attached'),
      ],
    )
  })

  await t.test('has servers of the image that the control plane is installed with', () => {
    const [image] = /cr\.agentgateway\.dev\/agentgateway:\S+/.exec(text('server.yaml')) ?? []
    assert.ok(image)
    assert.ok(text('second-server.yaml').includes(image))
    const [, tag = ''] = image.split(':')
    assert.ok(readFileSync('deploy/kubernetes/agentgateway.yaml', 'utf8').includes(`:${tag}`))
  })

  await t.test('serves the tools of both servers, or those that the rules allow', async () => {
    await using demo = await startServer()
    await using calendar = await startServer()
    const graph = exampleGraph('server.yaml', 'gateway.yaml')
    withEndpoint(graph, 'demo', demo)
    {
      await using gateway = await serveGateway(graph, 'tools/tools')
      assert.deepEqual(await toolsOf(gateway), ['demo_add', 'demo_echo', 'demo_weekday'])
    }
    const whole = exampleGraph(...files)
    withEndpoint(whole, 'demo', demo)
    withEndpoint(whole, 'calendar', calendar)
    await using gateway = await serveGateway(whole, 'tools/tools')
    assert.deepEqual(await toolsOf(gateway), [
      'calendar_add',
      'calendar_echo',
      'calendar_weekday',
      'demo_add',
      'demo_echo',
    ])
    const results = await withClient(gateway, async (client) => [
      await client.callTool({ name: 'demo_add', arguments: { a: 1, b: 2 } }),
      await client.callTool({ name: 'calendar_weekday', arguments: { date: '2026-07-28' } }),
    ])
    assert.deepEqual(
      results.map(({ content }) => content),
      [[{ type: 'text', text: '3' }], [{ type: 'text', text: 'Tuesday' }]],
    )
    await assert.rejects(
      withClient(gateway, (client) =>
        client.callTool({ name: 'demo_weekday', arguments: { date: '2026-07-28' } }),
      ),
    )
  })
})
