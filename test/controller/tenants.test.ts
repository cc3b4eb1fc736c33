import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Graph } from '../../src/controller/graph/graph.ts'
import { backendTlsPolicyStatus } from '../../src/controller/translate/backend-tls/backend-tls-policy-status.ts'
import { listenerSetStatus } from '../../src/controller/translate/listener-set/listener-set-status.ts'
import { httpRouteStatus } from '../../src/controller/translate/route/route-status.ts'
import { startEcho } from '../support/echo-upstream.ts'
import { goldenGraph, readGoldenObjects } from './support/golden-objects.ts'
import { requestOutcome, serveGateway } from './support/served-gateway.ts'

/*
 * Tenants of a cluster share a Gateway. One of them tries to get the traffic of another one, or to where it must not:
 * everything that is tried is an object that the API server takes.
 */

const gateway = `
kind: GatewayClass
metadata: { name: agentgateway }
spec: { controllerName: agentgateway.dev/agentgateway }
---
kind: Namespace
metadata: { name: shop, labels: { team: shop } }
---
kind: Namespace
metadata: { name: evil, labels: { team: evil } }
---
kind: Gateway
metadata: { namespace: infra, name: web, creationTimestamp: '2026-01-01T00:00:00Z' }
spec:
  gatewayClassName: agentgateway
  allowedListeners: { namespaces: { from: All } }
  listeners:
    - { name: any, port: 8080, protocol: HTTP, allowedRoutes: { namespaces: { from: All } } }
    - name: shop
      port: 8080
      protocol: HTTP
      hostname: own.test
      allowedRoutes: { namespaces: { from: Selector, selector: { matchLabels: { team: shop } } } }
`

/** The objects of a Service of a namespace, with an endpoint. */
const service = (namespace: string, name: string, port: number, address = '10.244.0.5'): string => `
---
kind: Service
metadata: { namespace: ${namespace}, name: ${name} }
spec: { clusterIP: 10.96.0.1, ports: [{ name: http, port: 80 }] }
---
kind: EndpointSlice
metadata: { namespace: ${namespace}, name: ${name}, labels: { kubernetes.io/service-name: ${name} } }
addressType: IPv4
ports: [{ name: http, port: ${port} }]
endpoints: [{ addresses: ['${address}'], conditions: { ready: true } }]
`

const route = (
  key: string,
  { host, backend, createdAt = '2026-01-02T00:00:00Z', more = '' }: RouteFields,
) => {
  const [namespace, name] = key.split('/')
  return `
---
kind: HTTPRoute
metadata: { namespace: ${namespace}, name: ${name}, creationTimestamp: '${createdAt}' }
spec:
  parentRefs: [{ namespace: infra, name: web${more} }]
  hostnames: ['${host}']
  rules: [{ backendRefs: [${backend}] }]
`
}

interface RouteFields {
  readonly host: string
  readonly backend: string
  readonly createdAt?: string
  /** Of the parentRef. */
  readonly more?: string
}

const shop = [
  route('shop/store', { host: 'store.test', backend: '{ name: store, port: 80 }' }),
  route('shop/own', { host: 'own.test', backend: '{ name: store, port: 80 }', more: ', sectionName: shop' }),
]

const own = '{ name: evil, port: 80 }'
const theirs = '{ namespace: shop, name: store, port: 80 }'

const evil = [
  // The same match, of a name that comes first.
  route('evil/a-store', { host: 'store.test', backend: own, createdAt: '2026-01-03T00:00:00Z' }),
  route('evil/own', { host: 'own.test', backend: own, createdAt: '2025-01-01T00:00:00Z' }),
  route('evil/listener', { host: 'own.test', backend: own, more: ', sectionName: shop' }),
  route('evil/wide', { host: '*.test', backend: own, createdAt: '2025-01-01T00:00:00Z' }),
  route('evil/backend', { host: 'backend.test', backend: theirs }),
  route('evil/unknown', { host: 'unknown.test', backend: '{ namespace: shop, name: none, port: 80 }' }),
  route('evil/metadata', { host: 'metadata.test', backend: '{ name: metadata, port: 80 }' }),
  `
---
kind: ReferenceGrant
metadata: { namespace: evil, name: to-myself }
spec:
  from: [{ group: gateway.networking.k8s.io, kind: HTTPRoute, namespace: evil }]
  to: [{ group: '', kind: Service }]
---
kind: ListenerSet
metadata: { namespace: evil, name: theirs, creationTimestamp: '2025-01-01T00:00:00Z' }
spec:
  parentRef: { namespace: infra, name: web }
  listeners: [{ name: own, port: 8080, protocol: HTTP, hostname: own.test }]
---
kind: HTTPRoute
metadata: { namespace: evil, name: of-set, creationTimestamp: '2025-01-01T00:00:00Z' }
spec:
  parentRefs: [{ group: gateway.networking.k8s.io, kind: ListenerSet, name: theirs }]
  rules: [{ backendRefs: [${own}] }]
---
kind: BackendTLSPolicy
metadata: { namespace: evil, name: store }
spec:
  targetRefs: [{ group: '', kind: Service, name: store }]
  validation: { wellKnownCACertificates: System, hostname: evil.test }
`,
]

const conditionsOf = (status: unknown): Readonly<Record<string, string>> => {
  const { parents = [], conditions = parents[0]?.conditions ?? [] } = (status ?? {}) as Status
  return Object.fromEntries(conditions.map(({ type, status: value, reason }) => [type, `${value} ${reason}`]))
}

interface Status {
  readonly parents?: readonly { readonly conditions: readonly Condition[] }[]
  readonly conditions?: readonly Condition[]
}

interface Condition {
  readonly type: string
  readonly status: string
  readonly reason: string
}

test('a tenant', async (t) => {
  await using stack = new AsyncDisposableStack()
  const [store, thief] = [stack.use(await startEcho('store')), stack.use(await startEcho('evil'))]
  const text = [
    gateway,
    ...shop,
    ...evil,
    service('shop', 'store', store.port),
    service('evil', 'evil', thief.port),
    service('evil', 'metadata', thief.port, '169.254.169.254'),
    // Endpoints for a Service of that name, in the wrong namespace.
    service('evil', 'store', thief.port),
  ].join('')
  const graph = goldenGraph(readGoldenObjects(text, (one) => one))
  const daemon = stack.use(await serveGateway(graph, 'infra/web'))
  const routeConditions = (key: string, of: Graph = graph) => conditionsOf(of.read(httpRouteStatus, key))

  await t.test('gets nothing of a host by a younger route with the same match, and is told', async () => {
    assert.equal(await requestOutcome(daemon, 'http://store.test/'), 'store store.test/')
    const expected = { Accepted: 'True Accepted', 'agentgateway.dev/Shadowed': 'True DuplicateMatch' }
    assert.deepEqual(routeConditions('evil/a-store'), { ...expected, ResolvedRefs: 'True ResolvedRefs' })
  })

  await t.test('gets nothing of the host of a listener that is not for it, however it is named', async () => {
    for (const host of ['own.test', 'own.test.', 'own.test:8080'])
      assert.match(await requestOutcome(daemon, `http://${host}/`), /^store /, host)
    assert.equal(routeConditions('evil/listener').Accepted, 'False NotAllowedByListeners')
  })

  await t.test('gets the rest of a wildcard, which nobody else serves', async () => {
    assert.equal(await requestOutcome(daemon, 'http://nobody.test/'), 'evil nobody.test/')
  })

  await t.test('gets no listener of a host that the Gateway has', () => {
    assert.equal(
      conditionsOf(graph.read(listenerSetStatus, 'evil/theirs')).Accepted,
      'False ListenersNotValid',
    )
  })

  await t.test('reaches no Service of others by granting itself', async () => {
    assert.equal(await requestOutcome(daemon, 'http://backend.test/'), '500')
    assert.equal(routeConditions('evil/backend').ResolvedRefs, 'False RefNotPermitted')
  })

  await t.test('is not told whether there is a Service of others', () => {
    const texts = ['backend', 'unknown'].map((name) =>
      JSON.stringify(graph.read(httpRouteStatus, `evil/${name}`)).replaceAll('shop/none', 'shop/store'),
    )
    assert.equal(texts[0], texts[1])
  })

  await t.test('changes nothing of a Service of others by objects of the same name', async () => {
    const { size } = new Set(
      await Promise.all(Array.from({ length: 8 }, () => requestOutcome(daemon, 'http://store.test/'))),
    )
    assert.equal(size, 1)
    assert.equal(graph.read(backendTlsPolicyStatus, 'evil/store'), undefined)
  })

  await t.test('has no endpoint at the address of the metadata of a cloud', async () => {
    assert.equal(await requestOutcome(daemon, 'http://metadata.test/'), '503')
  })
})
