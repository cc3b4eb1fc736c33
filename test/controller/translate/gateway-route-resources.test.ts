import assert from 'node:assert/strict'
import { test } from 'node:test'
import { resourcesOf, type ResourceTree } from '../../../src/config/xds/resource-tree.ts'
import { Graph } from '../../../src/controller/graph/graph.ts'
import type { EndpointSlice, Service } from '../../../src/controller/kinds/core.ts'
import type { BackendTLSPolicy, Gateway, ReferenceGrant } from '../../../src/controller/kinds/gateway-api.ts'
import type { TranslationSettings } from '../../../src/controller/kinds/inputs.ts'
import type { HTTPRoute } from '../../../src/controller/kinds/http-route.ts'
import { backendTlsPolicyStatus } from '../../../src/controller/translate/backend-tls/backend-tls-policy-status.ts'
import { gatewayRouteResources } from '../../../src/controller/translate/gateway-route-resources.ts'
import { httpRouteStatus } from '../../../src/controller/translate/route/route-status.ts'
import { makeAuthority } from '../../support/certificates.ts'

const group = 'gateway.networking.k8s.io'

const gatewayObject = (name: string): Gateway => ({
  apiVersion: `${group}/v1`,
  kind: 'Gateway',
  metadata: { namespace: 'infra', name },
  spec: { gatewayClassName: 'agentgateway', listeners: [{ name: 'http', port: 80, protocol: 'HTTP' }] },
})

const routeObject = (name: string, gateway: string, service: string, path = '/'): HTTPRoute => ({
  apiVersion: `${group}/v1`,
  kind: 'HTTPRoute',
  metadata: { namespace: 'infra', name, generation: 1, creationTimestamp: '2026-01-01T00:00:00Z' },
  spec: {
    parentRefs: [{ name: gateway }],
    hostnames: [`${name}.example.com`],
    rules: [
      {
        matches: [{ path: { type: 'PathPrefix', value: path } }],
        backendRefs: [{ name: service, namespace: 'apps', port: 80 }],
      },
    ],
  },
})

const serviceObject = (name: string, labels: Record<string, string> = {}): Service => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { namespace: 'apps', name, labels },
  spec: { clusterIP: '10.96.0.1', ports: [{ name: 'http', port: 80, targetPort: 3000 }] },
})

const sliceObject = (service: string, ready: boolean): EndpointSlice => ({
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  metadata: { namespace: 'apps', name: service, labels: { 'kubernetes.io/service-name': service } },
  addressType: 'IPv4',
  ports: [{ name: 'http', port: 3000 }],
  endpoints: [{ addresses: ['10.0.0.1'], conditions: { ready } }],
})

const grant: ReferenceGrant = {
  apiVersion: `${group}/v1beta1`,
  kind: 'ReferenceGrant',
  metadata: { namespace: 'apps', name: 'grant' },
  spec: { from: [{ group, kind: 'HTTPRoute', namespace: 'infra' }], to: [{ group: '', kind: 'Service' }] },
}

const services = ['a', 'b', 'c']

/** Two Gateways: the first has routes to `a` and `b`, the second to `c`. */
const newGraph = (more: Partial<TranslationSettings> = {}): Graph => {
  const graph = new Graph({
    ...more,
    controllerName: 'agentgateway.dev/agentgateway',
    gatewayClassName: 'agentgateway',
    clusterDomain: 'cluster.local',
  })
  graph.set('GatewayClass', 'agentgateway', {
    apiVersion: `${group}/v1`,
    kind: 'GatewayClass',
    metadata: { name: 'agentgateway' },
    spec: { controllerName: 'agentgateway.dev/agentgateway' },
  })
  for (const name of ['first', 'second']) graph.set('Gateway', `infra/${name}`, gatewayObject(name))
  graph.set('ReferenceGrant', 'apps/grant', grant)
  for (const name of services) {
    graph.set('Service', `apps/${name}`, serviceObject(name))
    graph.set('EndpointSlice', `apps/${name}`, sliceObject(name, true))
    graph.set('HTTPRoute', `infra/${name}`, routeObject(name, name === 'c' ? 'second' : 'first', name))
  }
  return graph
}

const treeOf = (graph: Graph, gateway: string): ResourceTree =>
  graph.read(gatewayRouteResources, `infra/${gateway}`)

/** The keys of resources that are other objects than before, or were not there. */
const changes = (before: ResourceTree, after: ResourceTree): readonly string[] =>
  resourcesOf(after)
    .filter((resource) => !resourcesOf(before).includes(resource))
    .map(({ kind, key }) => `${kind}/${key}`)

test('a change of an endpoint changes this endpoint only', () => {
  const graph = newGraph()
  const [first, second] = [treeOf(graph, 'first'), treeOf(graph, 'second')]
  assert.equal(resourcesOf(first).length, 6)
  graph.set('EndpointSlice', 'apps/a', sliceObject('a', false))
  assert.deepEqual(changes(first, treeOf(graph, 'first')), ['workload/apps/a/10.0.0.1'])
  assert.equal(treeOf(graph, 'second'), second)
})

test('a change of a route changes this route only, and no status but its own', () => {
  const graph = newGraph()
  const [first, second] = [treeOf(graph, 'first'), treeOf(graph, 'second')]
  const statuses = services.map((name) => graph.read(httpRouteStatus, `infra/${name}`))
  graph.set('HTTPRoute', 'infra/a', routeObject('a', 'first', 'a', '/changed'))
  assert.deepEqual(changes(first, treeOf(graph, 'first')), ['route/HTTPRoute/infra/a/00'])
  assert.equal(treeOf(graph, 'second'), second)
  for (const [index, name] of services.entries())
    assert.equal(graph.read(httpRouteStatus, `infra/${name}`), statuses[index])
})

test('labels of a Service change nothing', () => {
  const graph = newGraph()
  const first = treeOf(graph, 'first')
  graph.set('Service', 'apps/a', serviceObject('a', { team: 'other' }))
  assert.equal(treeOf(graph, 'first'), first)
})

test('a grant that goes takes the backends with it, and brings them back', () => {
  const graph = newGraph()
  const first = treeOf(graph, 'first')
  graph.delete('ReferenceGrant', 'apps/grant')
  const without = treeOf(graph, 'first')
  assert.deepEqual(
    resourcesOf(without).map(({ kind }) => kind),
    ['route', 'route'],
  )
  const conditions = graph.read(httpRouteStatus, 'infra/a')?.parents[0]?.conditions ?? []
  assert.equal(conditions.find(({ type }) => type === 'ResolvedRefs')?.reason, 'RefNotPermitted')
  graph.set('ReferenceGrant', 'apps/grant', grant)
  assert.deepEqual(treeOf(graph, 'first'), first)
})

test('no grant is needed where they are optional', () => {
  const graph = newGraph({ backendGrants: 'none' })
  const first = treeOf(graph, 'first')
  graph.delete('ReferenceGrant', 'apps/grant')
  assert.equal(treeOf(graph, 'first'), first)
  assert.equal(resourcesOf(first).length, 6)
})

test('a Service that comes late is found', () => {
  const graph = newGraph()
  const first = treeOf(graph, 'first')
  graph.delete('Service', 'apps/a')
  assert.equal(resourcesOf(treeOf(graph, 'first')).length, 4)
  graph.set('Service', 'apps/a', serviceObject('a'))
  assert.deepEqual(treeOf(graph, 'first'), first)
})

test('certificate authorities of backends are followed', () => {
  using authority = makeAuthority()
  const graph = newGraph()
  const policy: BackendTLSPolicy = {
    apiVersion: `${group}/v1`,
    kind: 'BackendTLSPolicy',
    metadata: { namespace: 'apps', name: 'tls', generation: 3 },
    spec: {
      targetRefs: [{ group: '', kind: 'Service', name: 'a' }],
      validation: {
        caCertificateRefs: [{ group: '', kind: 'ConfigMap', name: 'ca' }],
        hostname: 'a.example.com',
      },
    },
  }
  graph.set('BackendTLSPolicy', 'apps/tls', policy)
  const tls = (): unknown =>
    resourcesOf(treeOf(graph, 'first')).flatMap(({ kind, model }) =>
      kind === 'policy' && 'policy' in model ? [model.policy.backendTLS] : [],
    )
  const accepted = (): readonly string[] =>
    (graph.read(backendTlsPolicyStatus, 'apps/tls')?.ancestors ?? []).flatMap(({ conditions }) =>
      conditions.map(({ reason, observedGeneration }) => `${reason} ${observedGeneration}`),
    )
  assert.deepEqual(tls(), [
    { invalid: 'No reference leads to valid CA certificates: ConfigMap apps/ca was not found' },
  ])
  assert.deepEqual(accepted(), ['NoValidCACertificate 3', 'InvalidCACertificateRef 3'])
  graph.set('ConfigMap', 'apps/ca', {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { namespace: 'apps', name: 'ca' },
    data: { 'ca.crt': authority.cert },
  })
  assert.deepEqual(tls(), [{ rootPem: authority.cert.trim(), hostname: 'a.example.com' }])
  assert.deepEqual(accepted(), ['Accepted 3', 'ResolvedRefs 3'])
})
