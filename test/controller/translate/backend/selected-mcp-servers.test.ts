import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { resourcesOf } from '../../../../src/config/xds/resource-tree.ts'
import { Graph } from '../../../../src/controller/graph/graph.ts'
import type { TranslationSettings } from '../../../../src/controller/kinds/inputs.ts'
import { translatedBackend } from '../../../../src/controller/translate/backend/translated-backend.ts'
import { gatewayRouteResources } from '../../../../src/controller/translate/gateway-route-resources.ts'
import { readGoldenObjects } from '../../support/golden-objects.ts'

/*
 * What a selector of MCP servers follows: labels, ports, namespaces and grants, and nothing else.
 */

const objects = `
kind: GatewayClass
metadata: { name: agentgateway }
spec: { controllerName: agentgateway.dev/agentgateway }
---
kind: Gateway
metadata: { name: gateway, namespace: infra }
spec: { gatewayClassName: agentgateway, listeners: [{ name: http, port: 80, protocol: HTTP }] }
---
kind: HTTPRoute
metadata: { name: route, namespace: infra }
spec:
  parentRefs: [{ name: gateway }]
  rules: [{ backendRefs: [{ group: agentgateway.dev, kind: ProxyBackend, name: tools }] }]
---
kind: Namespace
metadata: { name: team, labels: { tools: shared } }
---
kind: ProxyBackend
metadata: { name: tools, namespace: infra }
spec:
  mcp:
    targets:
      - name: shared
        selector:
          namespaces: { matchLabels: { tools: shared } }
          services: { matchLabels: { app: tools } }
`

interface ServiceOptions {
  readonly labels?: string
  readonly appProtocol?: string
  readonly more?: string
}

const service = (
  name: string,
  { labels = '{ app: tools }', appProtocol = 'agentgateway.dev/mcp', more = '' }: ServiceOptions = {},
): string => `
kind: Service
metadata: { name: ${name}, namespace: team, labels: ${labels} }
spec: { clusterIP: 10.96.0.11, ports: [{ name: a, port: 80, appProtocol: ${appProtocol} }] ${more} }
`

const started = (settings: Partial<TranslationSettings> = {}) => {
  const graph = new Graph({
    controllerName: 'agentgateway.dev/agentgateway',
    gatewayClassName: 'agentgateway',
    clusterDomain: 'cluster.local',
    ...settings,
  })
  const apply = (text: string): void => {
    for (const { kind, key, object } of readGoldenObjects(text, (value) => value))
      graph.set(kind, key, object)
  }
  apply(objects)
  const backend = () => graph.read(translatedBackend, 'infra/tools')
  const targets = (): readonly string[] => {
    const model = backend()?.resource?.model as { mcp?: { targets: readonly { name: string }[] } } | undefined
    return (model?.mcp?.targets ?? []).map(({ name }) => name)
  }
  const services = (): readonly string[] =>
    resourcesOf(graph.read(gatewayRouteResources, 'infra/gateway'))
      .filter(({ kind }) => kind === 'service')
      .map(({ key }) => key)
  return { graph, apply, backend, targets, services }
}

suite('selected MCP servers', () => {
  test('come and go with Services, their labels and ports, and the labels of namespaces', () => {
    const { graph, apply, targets, services } = started()
    assert.deepEqual([targets(), services()], [[], []])
    apply(service('one'))
    apply(service('two'))
    assert.deepEqual(targets(), ['one-a', 'two-a'])
    assert.deepEqual(services(), ['team/one.team.svc.cluster.local', 'team/two.team.svc.cluster.local'])
    apply(service('one', { labels: '{ app: web }' }))
    assert.deepEqual(targets(), ['two-a'])
    assert.deepEqual(services(), ['team/two.team.svc.cluster.local'])
    apply(service('two', { appProtocol: 'kubernetes.io/ws' }))
    assert.deepEqual(targets(), [])
    apply(service('two'))
    apply('kind: Namespace\nmetadata: { name: team }')
    assert.deepEqual(targets(), [])
    apply('kind: Namespace\nmetadata: { name: team, labels: { tools: shared } }')
    assert.deepEqual(targets(), ['two-a'])
    graph.delete('Service', 'team/two')
    assert.deepEqual([targets(), services()], [[], []])
  })

  test('stay as they are when something else changes', () => {
    const { apply, backend } = started()
    apply(service('one'))
    const before = backend()
    assert.deepEqual(before?.problems, [])
    apply(service('one', { more: ', trafficDistribution: PreferClose' }))
    apply(service('other', { labels: '{ app: web }' }))
    apply('kind: Namespace\nmetadata: { name: team, labels: { tools: shared, more: labels } }')
    assert.equal(backend(), before)
  })

  test('of other namespaces are seen with a grant only, where references need grants', () => {
    const { apply, backend, targets } = started({ backendGrants: 'route-and-policy' })
    apply(service('one'))
    apply(service('two'))
    assert.deepEqual([targets(), backend()?.problems, backend()?.references], [[], [], []])
    apply(`
kind: ReferenceGrant
metadata: { name: tools, namespace: team }
spec:
  from: [{ group: agentgateway.dev, kind: ProxyBackend, namespace: infra }]
  to: [{ group: '', kind: Service, name: two }]
`)
    assert.deepEqual([targets(), backend()?.problems], [['two-a'], []])
  })

  test('with a malformed shape are none, and stop no others', () => {
    const { graph, apply, backend, targets } = started()
    apply(service('one'))
    const shapes: readonly unknown[] = [null, 'ports', { ports: 'a' }, { ports: [null] }]
    for (const [i, spec] of shapes.entries())
      graph.set('Service', `team/odd-${i}`, {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: `odd-${i}`, namespace: 'team', labels: { app: 'tools' } },
        spec,
      } as never)
    assert.deepEqual([targets(), backend()?.problems], [['one-a'], []])
  })
})
