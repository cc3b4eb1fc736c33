import assert from 'node:assert/strict'
import { test } from 'node:test'
import { resourcesOf } from '../../src/config/xds/resource-tree.ts'
import type { XdsResource } from '../../src/config/xds/xds-resource.ts'
import type { Graph } from '../../src/controller/graph/graph.ts'
import { gatewayBackendResources } from '../../src/controller/translate/backend/backend-resources.ts'
import { gatewayRouteResources } from '../../src/controller/translate/gateway-route-resources.ts'
import { gatewayListenerResources } from '../../src/controller/translate/listener/gateway-listener-resources.ts'
import { gatewayPolicyResources } from '../../src/controller/translate/policy/policy-resources.ts'
import { anyPorts, startDaemon } from '../support/daemon.ts'
import { freePort } from '../support/free-port.ts'
import { McpCaller } from '../support/mcp/mcp-caller.ts'
import { startToy, type ToyServer } from '../support/mcp/toy-server.ts'
import { startXdsServer } from '../support/xds/xds-server.ts'
import { goldenGraph, readGoldenObjects } from './support/golden-objects.ts'

/*
 * Services come and go while a gateway runs: what is translated of them is sent to it, and clients see other tools.
 */

const objects = (port: number): string => `
kind: GatewayClass
metadata: { name: agentgateway }
spec: { controllerName: agentgateway.dev/agentgateway }
---
kind: Gateway
metadata: { namespace: shop, name: web }
spec: { gatewayClassName: agentgateway, listeners: [{ name: any, port: ${port}, protocol: HTTP }] }
---
kind: HTTPRoute
metadata: { namespace: shop, name: tools }
spec:
  parentRefs: [{ name: web }]
  rules: [{ backendRefs: [{ group: agentgateway.dev, kind: ProxyBackend, name: tools }] }]
---
kind: ProxyBackend
metadata: { namespace: shop, name: tools }
spec:
  mcp:
    prefixMode: Always
    targets: [{ name: shared, selector: { services: { matchLabels: { mcp: shared } } } }]
`

const service = (name: string, toy: ToyServer, labels = '{ mcp: shared }'): string => `
kind: Service
metadata: { namespace: shop, name: ${name}, labels: ${labels} }
spec: { clusterIP: 10.96.0.1, ports: [{ name: mcp, port: 8000, appProtocol: agentgateway.dev/mcp }] }
---
kind: EndpointSlice
metadata: { namespace: shop, name: ${name}, labels: { kubernetes.io/service-name: ${name} } }
addressType: IPv4
ports: [{ name: mcp, port: ${Number(new URL(toy.origin).port)} }]
endpoints: [{ addresses: [192.0.2.10], conditions: { ready: true } }]
`

/** What is sent to the proxies, with the servers at the address of this machine: no slice may name that. */
const sentTo = (graph: Graph): readonly XdsResource[] =>
  [gatewayListenerResources, gatewayRouteResources, gatewayBackendResources, gatewayPolicyResources]
    .flatMap((query) => resourcesOf(graph.read(query, 'shop/web')))
    .map((resource) =>
      resource.kind === 'workload'
        ? { ...resource, model: { ...resource.model, workloadIps: ['127.0.0.1'] } }
        : resource,
    )

test('MCP servers come and go with Services, in sessions under way', async () => {
  await using one = await startToy({ tools: ['add'] })
  await using two = await startToy({ tools: ['fetch'] })
  await using control = await startXdsServer()
  const port = await freePort()
  const graph = goldenGraph(readGoldenObjects(objects(port), (text) => text))
  const apply = (text: string): void => {
    for (const { kind, key, object } of readGoldenObjects(text, (value) => value))
      graph.set(kind, key, object)
    control.sets.set('shop/web', sentTo(graph))
  }
  apply(service('one', one))
  const env = { XDS_ADDRESS: `http://127.0.0.1:${control.port}`, NAMESPACE: 'shop', GATEWAY: 'web' }
  await using daemon = await startDaemon(anyPorts, { env })
  /** Resolves when a number of configurations has been in force. */
  const inForce = (count: number) => daemon.printed(new RegExp(`(?:configuration in force[^]*){${count}}`))
  await inForce(2)
  const client = new McpCaller(`http://127.0.0.1:${port}/mcp`)
  await client.open()
  const tools = async (): Promise<readonly string[]> => {
    const { response, text } = await client.request('tools/list')
    assert.ok(response?.result, text)
    return (response.result.tools as readonly { readonly name: string }[]).map(({ name }) => name).sort()
  }
  assert.deepEqual(await tools(), ['one-mcp_add'])
  apply(service('two', two))
  await inForce(3)
  assert.deepEqual(await tools(), ['one-mcp_add', 'two-mcp_fetch'])
  apply(service('one', one, '{}'))
  await inForce(4)
  assert.deepEqual(await tools(), ['two-mcp_fetch'])
  const called = await client.request('tools/call', { name: 'two-mcp_fetch' })
  assert.deepEqual(called.response?.result, { content: [{ type: 'text', text: 'fetch done' }] })
})
