import assert from 'node:assert/strict'
import { test } from 'node:test'
import { resourcesOf, type ResourceTree } from '../../../../src/config/xds/resource-tree.ts'
import { Graph } from '../../../../src/controller/graph/graph.ts'
import type { Feature } from '../../../../src/controller/kinds/kinds.ts'
import { gatewayRouteResources } from '../../../../src/controller/translate/gateway-route-resources.ts'
import { inferencePoolStatus } from '../../../../src/controller/translate/inference/pool-status.ts'
import { httpRouteStatus } from '../../../../src/controller/translate/route/route-status.ts'
import { readGoldenObjects } from '../../support/golden-objects.ts'

const pod = (name: string, address: string, isReady = true): string => `
kind: Pod
metadata: { name: ${name}, namespace: infra, labels: { app: model } }
status: { podIP: ${address}, conditions: [{ type: Ready, status: '${isReady ? 'True' : 'False'}' }] }
`

const cluster = `
kind: GatewayClass
metadata: { name: agentgateway }
spec: { controllerName: agentgateway.dev/agentgateway }
---
kind: Gateway
metadata: { name: gateway, namespace: infra }
spec: { gatewayClassName: agentgateway, listeners: [{ name: http, port: 80, protocol: HTTP }] }
---
kind: InferencePool
metadata: { name: pool, namespace: infra }
spec:
  selector: { matchLabels: { app: model } }
  targetPorts: [{ number: 8000 }]
  endpointPickerRef: { name: picker, port: { number: 9002 } }
---
kind: Service
metadata: { name: picker, namespace: infra }
spec: { ports: [{ port: 9002 }] }
---
kind: HTTPRoute
metadata: { name: route, namespace: infra }
spec:
  parentRefs: [{ name: gateway }]
  rules:
    - backendRefs: [{ group: inference.networking.k8s.io, kind: InferencePool, name: pool }]
---
${pod('a', '10.0.0.1')}`

const graphOf = (features: readonly Feature[] = ['inferenceExtension']): Graph => {
  const graph = new Graph({
    controllerName: 'agentgateway.dev/agentgateway',
    gatewayClassName: 'agentgateway',
    clusterDomain: 'cluster.local',
    features,
  })
  set(graph, cluster)
  return graph
}

const set = (graph: Graph, text: string): void => {
  for (const { kind, key, object } of readGoldenObjects(text, (one) => one)) graph.set(kind, key, object)
}

const treeOf = (graph: Graph): ResourceTree => graph.read(gatewayRouteResources, 'infra/gateway')

/** The keys of resources that are other objects than before, or were not there. */
const changes = (before: ResourceTree, after: ResourceTree): readonly string[] =>
  resourcesOf(after)
    .filter((resource) => !resourcesOf(before).includes(resource))
    .map(({ kind, key }) => `${kind}/${key}`)

test('a pod that becomes ready is one workload, and one that does not is none', () => {
  const graph = graphOf()
  const first = treeOf(graph)
  set(graph, pod('b', '10.0.0.2', false))
  assert.equal(treeOf(graph), first)
  set(graph, pod('b', '10.0.0.2'))
  assert.deepEqual(changes(first, treeOf(graph)), ['workload/InferencePool/infra/pool/b'])
  graph.delete('Pod', 'infra/b')
  assert.deepEqual(changes(first, treeOf(graph)), [])
})

test('a pod of other labels changes nothing', () => {
  const graph = graphOf()
  const first = treeOf(graph)
  set(graph, pod('c', '10.0.0.3').replace('app: model', 'app: other'))
  assert.equal(treeOf(graph), first)
})

test('a picker that comes late is used, and reported', () => {
  const graph = graphOf()
  const reason = () =>
    graph
      .read(inferencePoolStatus, 'infra/pool')
      ?.parents[0]?.conditions.find(({ type }) => type === 'ResolvedRefs')?.reason
  const first = treeOf(graph)
  assert.equal(reason(), 'ResolvedRefs')
  graph.delete('Service', 'infra/picker')
  assert.equal(reason(), 'InvalidExtensionRef')
  assert.deepEqual(changes(first, treeOf(graph)), [
    'service/infra/pool.infra.absent-picker.cluster.local',
    'policy/InferencePool/infra/pool',
  ])
  set(graph, `kind: Service\nmetadata: { name: picker, namespace: infra }\nspec: { ports: [{ port: 9002 }] }`)
  assert.equal(reason(), 'ResolvedRefs')
  assert.deepEqual(treeOf(graph), first)
})

test('the TLS of a picker is that of a ProxyPolicy for as long as there is one', () => {
  const graph = graphOf()
  const first = treeOf(graph)
  const tls = (sectionName: string, backend = '{ tls: {} }') => `
kind: ProxyPolicy
metadata: { name: policy, namespace: infra }
spec: { targetRefs: [{ group: '', kind: Service, name: picker${sectionName} }], backend: ${backend} }`
  const changed = ['policy/InferencePool/infra/pool']
  set(graph, tls(''))
  assert.deepEqual(changes(first, treeOf(graph)), changed)
  const own = treeOf(graph)
  set(graph, tls(", sectionName: '9002'"))
  assert.deepEqual(changes(own, treeOf(graph)), [])
  // Of another port, of another policy, or gone.
  for (const other of [tls(", sectionName: '90'"), tls('', '{ tcp: { connectTimeout: 1s } }')]) {
    set(graph, tls(''))
    treeOf(graph)
    set(graph, other)
    assert.deepEqual(treeOf(graph), first)
  }
  graph.delete('ProxyPolicy', 'infra/policy')
  assert.deepEqual(treeOf(graph), first)
})

test('a pool is sent with a backend or a model that refers to it, and no longer', () => {
  const graph = graphOf()
  graph.delete('HTTPRoute', 'infra/route')
  const parents = () => graph.read(inferencePoolStatus, 'infra/pool')?.parents.length ?? 0
  const kinds = () => [...new Set(resourcesOf(treeOf(graph)).map(({ kind }) => kind))]
  const custom = (name: string) =>
    `formats: [{ type: Completions }], backendRef: { group: inference.networking.k8s.io, kind: InferencePool, name: ${name} }`
  const backend = (name: string) => `
kind: HTTPRoute
metadata: { name: route, namespace: infra }
spec:
  parentRefs: [{ name: gateway }]
  rules: [{ backendRefs: [{ group: agentgateway.dev, kind: ProxyBackend, name: models }] }]
---
kind: ProxyBackend
metadata: { name: models, namespace: infra }
spec: { ai: { provider: { custom: { ${custom(name)} } } } }`
  assert.deepEqual([parents(), kinds()], [0, []])
  set(graph, backend('pool'))
  assert.deepEqual([parents(), kinds()], [1, ['route', 'service', 'workload', 'policy']])
  set(graph, backend('other'))
  assert.deepEqual([parents(), kinds()], [0, ['route']])
  set(graph, backend('pool'))
  graph.delete('InferencePool', 'infra/pool')
  assert.deepEqual([parents(), kinds()], [0, ['route']])
})

test('a pool of a shape that cannot be translated is a reference that leads nowhere', () => {
  const graph = graphOf()
  set(
    graph,
    `
kind: InferencePool
metadata: { name: pool, namespace: infra }
spec:
  selector: { matchLabels: { app: model } }
  targetPorts: []
  endpointPickerRef: { name: picker, port: { number: 9002 } }`,
  )
  const conditions = graph.read(httpRouteStatus, 'infra/route')?.parents[0]?.conditions ?? []
  const resolved = conditions.find(({ type }) => type === 'ResolvedRefs')
  assert.deepEqual(
    [resolved?.reason, resolved?.message],
    ['UnsupportedValue', 'InferencePool infra/pool cannot be translated'],
  )
  assert.deepEqual(
    resourcesOf(treeOf(graph)).map(({ kind }) => kind),
    ['route'],
  )
})

test('pools are no backends unless they are switched on', () => {
  const conditions = graphOf([]).read(httpRouteStatus, 'infra/route')?.parents[0]?.conditions ?? []
  assert.equal(conditions.find(({ type }) => type === 'ResolvedRefs')?.reason, 'InvalidKind')
})
