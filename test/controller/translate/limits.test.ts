import assert from 'node:assert/strict'
import { test } from 'node:test'
import { resourcesOf } from '../../../src/config/xds/resource-tree.ts'
import type { Graph } from '../../../src/controller/graph/graph.ts'
import { translatedBackend } from '../../../src/controller/translate/backend/translated-backend.ts'
import { gatewayRouteResources } from '../../../src/controller/translate/gateway-route-resources.ts'
import { inferencePoolStatus } from '../../../src/controller/translate/inference/pool-status.ts'
import { proxyPolicyStatus } from '../../../src/controller/translate/policy/proxy-policy-status.ts'
import { httpRouteStatus } from '../../../src/controller/translate/route/route-status.ts'
import { list, object, ports, route, service } from '../support/long-lists.ts'
import { conditionOf, namespaceGraph, put } from '../support/namespace-graph.ts'
import { objectMeta, type PlainObject } from '../support/plain-object.ts'

/* Lists of several objects that multiply: what there is too much of is refused, and said where it is referred to. */

const slice = (name: string, slicePorts: readonly object[], endpoints: number, of = 'web'): PlainObject => ({
  kind: 'EndpointSlice',
  metadata: {
    ...objectMeta(name),
    labels: { 'kubernetes.io/service-name': of },
  } as PlainObject['metadata'],
  addressType: 'IPv4',
  ports: slicePorts,
  endpoints: list(endpoints, (index) => ({ addresses: [`10.0.${index >> 8}.${index & 255}`] })),
})

const toWeb = route({ backendRefs: [{ name: 'web', port: 1 }] })

const resources = (graph: Graph) => resourcesOf(graph.read(gatewayRouteResources, 'ns/gateway'))
const workloads = (graph: Graph) => resources(graph).filter(({ kind }) => kind === 'workload')

const resolvedRefs = (graph: Graph, name = 'route') =>
  conditionOf(graph.read(httpRouteStatus, `ns/${name}`)?.parents, 'ResolvedRefs')

const resolved = 'True ResolvedRefs: All references were resolved'
const tooMany =
  'Service ns/web has more than 100000 endpoints, each counted for each of its ports: only a Service with at most 16 ports may'
const refused = `False UnsupportedValue: ${tooMany}`

test('serves a Service of many ports up to 100,000 endpoints times ports, and none beyond', () => {
  const graph = namespaceGraph([toWeb, service('web', ports(1_000)), slice('a', ports(1_000), 100)])
  assert.equal(resolvedRefs(graph), resolved)
  assert.equal(workloads(graph).length, 100)
  put(graph, slice('a', ports(1_000), 101))
  assert.equal(resolvedRefs(graph), refused)
  assert.deepEqual(workloads(graph), [])
  const [rule] = resources(graph).filter(({ kind }) => kind === 'route')
  assert.match(JSON.stringify(rule?.model), /"invalid"/)
  put(graph, slice('a', ports(1_000), 100))
  assert.equal(resolvedRefs(graph), resolved)
  assert.equal(workloads(graph).length, 100)
})

test('counts the endpoints of all slices of a family of addresses, and only ports that the Service has', () => {
  const half = (name: string, more: object = {}) => ({ ...slice(name, ports(1_000), 60), ...more })
  const graph = namespaceGraph([
    toWeb,
    service('web', ports(1_000)),
    half('a'),
    half('b', { addressType: 'IPv6' }),
  ])
  assert.equal(resolvedRefs(graph), resolved)
  put(graph, half('b'))
  assert.equal(resolvedRefs(graph), refused)
  put(graph, service('web', ports(17)))
  assert.equal(resolvedRefs(graph), resolved)
})

test('serves a Service of few ports whatever its endpoints are', () => {
  const graph = namespaceGraph([
    toWeb,
    service('web', ports(16)),
    ...list(7, (index) => ({
      ...slice(`s${index}`, ports(16), 0),
      endpoints: list(1_000, (at) => ({ addresses: [`10.${index}.${at >> 8}.${at & 255}`] })),
    })),
  ])
  assert.equal(resolvedRefs(graph), resolved)
  assert.equal(workloads(graph).length, 7_000)
})

test('policies and endpoint pickers that refer to such a Service say so', () => {
  const graph = namespaceGraph([
    service('web', ports(1_000)),
    slice('a', ports(1_000), 101),
    object('ProxyPolicy', 'policy', {
      targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'Gateway', name: 'gateway' }],
      traffic: { extAuth: { backendRef: { name: 'web', port: 1 }, grpc: {} } },
    }),
    object('InferencePool', 'pool', {
      selector: { matchLabels: { app: 'model' } },
      targetPorts: [{ number: 8_000 }],
      endpointPickerRef: { name: 'web', port: { number: 1 } },
    }),
  ])
  assert.equal(
    conditionOf(graph.read(proxyPolicyStatus, 'ns/policy')?.ancestors, 'Accepted'),
    `False Invalid: traffic.extAuth: ${tooMany}`,
  )
  assert.equal(
    conditionOf(graph.read(inferencePoolStatus, 'ns/pool')?.parents, 'ResolvedRefs'),
    `False InvalidExtensionRef: error: ${tooMany}`,
  )
})

test('endpoints of one address with many ports have short names, each its own', () => {
  const numbered = (shift: number) => ports(40).map((one) => ({ ...one, port: one.port + shift }))
  const graph = namespaceGraph([
    toWeb,
    service('web', ports(40)),
    ...list(3, (index) => slice(`s${index}`, numbered(100 * index), 1)),
  ])
  const keys = workloads(graph).map(({ key }) => key)
  assert.equal(new Set(keys).size, 3)
  assert.ok(keys.every((key) => key.length < 60))
})

const pool = (index: number, createdAt = '2026-01-01T00:00:00Z'): PlainObject => {
  const one = object('InferencePool', `pool-${index}`, {
    selector: { matchLabels: { app: 'model' } },
    targetPorts: [{ number: 8_000 }, { number: 8_001 }],
    endpointPickerRef: { name: 'picker', port: { number: 9_002 } },
  })
  return { ...one, metadata: { ...one.metadata, creationTimestamp: createdAt } as PlainObject['metadata'] }
}

const pod = (index: number): PlainObject => ({
  kind: 'Pod',
  metadata: { ...objectMeta(`pod-${index}`), labels: { app: 'model' } } as PlainObject['metadata'],
  spec: {},
  status: {
    podIP: `10.1.${index >> 8}.${index & 255}`,
    conditions: [{ type: 'Ready', status: 'True' }],
  },
})

const toPools = (count: number): PlainObject => ({
  ...object('HTTPRoute', 'route', {
    parentRefs: [{ name: 'gateway' }],
    rules: [
      {
        backendRefs: list(count, (index) => ({
          group: 'inference.networking.k8s.io',
          kind: 'InferencePool',
          name: `pool-${index}`,
        })),
      },
    ],
  }),
})

test('many pools of a namespace that select the same pods get 100,000 of them, the oldest pools first', () => {
  const pods = list(1_250, pod)
  const graph = namespaceGraph([
    service('picker', [{ port: 9_002 }]),
    ...pods,
    toPools(42),
    ...list(40, (i) => pool(i + 1)),
  ])
  // 40 pools of 1,250 pods with two ports.
  assert.equal(workloads(graph).length, 50_000)
  put(graph, pool(41))
  put(graph, pool(0, '2025-01-01T00:00:00Z'))
  const beyond = (index: number) =>
    `InferencePool ns/pool-${index} has no endpoints, since the pools of its namespace have more than 100000, each counted for each pool and target port; older pools come first`
  assert.equal(resolvedRefs(graph), `False UnsupportedValue: ${beyond(8)}; ${beyond(9)}`)
  assert.equal(workloads(graph).length, 50_000)
  put(graph, { ...pod(0), status: {} })
  assert.equal(workloads(graph).length, 40 * 1_249)
})

test('few pools of a namespace get all of their pods', () => {
  const graph = namespaceGraph([
    service('picker', [{ port: 9_002 }]),
    ...list(2_000, pod),
    toPools(32),
    ...list(32, (index) => pool(index)),
  ])
  assert.equal(resolvedRefs(graph), resolved)
  assert.equal(workloads(graph).length, 64_000)
})

/** The key of a route. A namespace has 60 of them: rules times listeners of a namespace are limited as well. */
const largeRoute = (index: number) => ({
  namespace: `t${Math.floor(index / 60)}`,
  name: `route-${String(index).padStart(3, '0')}`,
})

/** Routes of the same host names and matches: 16 rules of 8 matches for 16 host names, at each of 64 listeners. */
const largeRoutes = (
  count: number,
  match: (route: number, match: number) => string,
): readonly PlainObject[] => [
  object('Gateway', 'gateway', {
    gatewayClassName: 'agentgateway',
    listeners: list(64, (index) => ({
      name: `l${index}`,
      port: 1_000 + index,
      protocol: 'HTTP',
      allowedRoutes: { namespaces: { from: 'All' } },
    })),
  }),
  ...list(count, (index) => ({
    ...object('HTTPRoute', '', {
      parentRefs: [{ namespace: 'ns', name: 'gateway' }],
      hostnames: list(16, (host) => `host-${host}.test`),
      rules: list(16, (rule) => ({
        matches: list(8, (at) => ({ path: { type: 'PathPrefix', value: match(index, 8 * rule + at) } })),
        filters: [{ type: 'RequestRedirect', requestRedirect: { hostname: 'elsewhere.test' } }],
      })),
    }),
    metadata: { ...objectMeta(''), ...largeRoute(index) },
  })),
]

const shadowed = (graph: Graph, index: number) => {
  const { namespace, name } = largeRoute(index)
  return conditionOf(
    graph.read(httpRouteStatus, `${namespace}/${name}`)?.parents,
    'agentgateway.dev/Shadowed',
  )
}

test('two hundred routes of 131,072 combinations of listener, host name and match are compared', () => {
  const graph = namespaceGraph(largeRoutes(200, (index, match) => `/${index}/${match}`))
  assert.deepEqual(
    list(200, (index) => shadowed(graph, index)).filter((one) => one !== undefined),
    [],
  )
})

test('routes with the same matches are compared up to a limit, and the youngest say that they are not', () => {
  const graph = namespaceGraph(largeRoutes(110, (_, match) => `/${match}`))
  assert.match(
    String(shadowed(graph, 1)),
    /^True DuplicateMatch: Rule 0 has a match of the older HTTPRoute t0\/route-000/,
  )
  assert.match(String(shadowed(graph, 90)), /^True DuplicateMatch: /)
  assert.equal(
    shadowed(graph, 105),
    'Unknown TooManyMatches: The routes of the Gateway have more than 200000 combinations of host name, match and listener in common: the youngest are not compared with the older ones',
  )
})

test('a ProxyBackend has at most 1,000 MCP servers that it selects, the oldest ones, and says so', () => {
  const mcpService = (index: number, createdAt: string): PlainObject => {
    const one = service(`s${index}`, [{ name: 'mcp', port: 80, appProtocol: 'agentgateway.dev/mcp' }], {
      app: 'a',
    })
    return { ...one, metadata: { ...one.metadata, creationTimestamp: createdAt } as PlainObject['metadata'] }
  }
  const graph = namespaceGraph([
    ...list(1_000, (index) => mcpService(index, '2026-01-01T00:00:00Z')),
    object('ProxyBackend', 'tools', {
      mcp: { targets: [{ name: 'all', selector: { services: { matchLabels: { app: 'a' } } } }] },
    }),
  ])
  const names = () => {
    const model = graph.read(translatedBackend, 'ns/tools')?.resource?.model as
      { readonly mcp?: { readonly targets: readonly { readonly name: string }[] } } | undefined
    return (model?.mcp?.targets ?? []).map(({ name }) => name)
  }
  assert.equal(names().length, 1_000)
  assert.deepEqual(graph.read(translatedBackend, 'ns/tools')?.problems, [])
  put(graph, mcpService(1_000, '2026-02-01T00:00:00Z'))
  assert.deepEqual(graph.read(translatedBackend, 'ns/tools')?.problems, [
    'mcp: more than 1000 servers are selected: the 1000 oldest are used',
  ])
  assert.equal(names().length, 1_000)
  assert.ok(!names().includes('s1000-mcp'))
})
