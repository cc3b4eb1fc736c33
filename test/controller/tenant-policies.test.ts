import assert from 'node:assert/strict'
import { test } from 'node:test'
import { proxyPolicyStatus } from '../../src/controller/translate/policy/proxy-policy-status.ts'
import { startEcho } from '../support/echo-upstream.ts'
import { goldenGraph, readGoldenObjects } from './support/golden-objects.ts'
import { requestOutcome, serveGateway } from './support/served-gateway.ts'

/*
 * Tenants of a cluster share a Gateway, and names. One of them tries to change by policies and backends of its own what
 * another one's route does: to take its authentication away, to stop it, to use its credential.
 */

const targets = (kind: string, name: string, group = 'gateway.networking.k8s.io') =>
  `targetRefs: [{ group: '${group}', kind: ${kind}, name: ${name} }]`
const selected = (kind: string) =>
  `targetSelectors: [{ group: gateway.networking.k8s.io, kind: ${kind}, matchLabels: {} }]`

const policy = (
  name: string,
  at: string,
  fields: string,
  namespace = 'evil',
  createdAt = '2025-01-01T00:00:00Z',
) => `
---
kind: ProxyPolicy
metadata: { namespace: ${namespace}, name: ${name}, creationTimestamp: '${createdAt}' }
spec:
  ${at}
  ${fields}
`

const route = (key: string, host: string, backend: string) => {
  const [namespace, name] = key.split('/')
  return `
---
kind: HTTPRoute
metadata: { namespace: ${namespace}, name: ${name} }
spec:
  parentRefs: [{ namespace: infra, name: web }]
  hostnames: [${host}]
  rules: [{ name: main, backendRefs: [${backend}] }]
`
}

const service = (namespace: string, port: number): string => `
---
kind: Service
metadata: { namespace: ${namespace}, name: store }
spec: { clusterIP: 10.96.0.1, ports: [{ name: http, port: 80 }] }
---
kind: EndpointSlice
metadata: { namespace: ${namespace}, name: store, labels: { kubernetes.io/service-name: store } }
addressType: IPv4
ports: [{ name: http, port: ${port} }]
endpoints: [{ addresses: ['10.244.0.5'], conditions: { ready: true } }]
`

const shared = `
kind: GatewayClass
metadata: { name: agentgateway }
spec: { controllerName: agentgateway.dev/agentgateway }
---
kind: Gateway
metadata: { namespace: infra, name: web }
spec:
  gatewayClassName: agentgateway
  listeners: [{ name: http, port: 8080, protocol: HTTP, allowedRoutes: { namespaces: { from: All } } }]
---
kind: Gateway
metadata: { namespace: evil, name: web }
spec: { gatewayClassName: agentgateway, listeners: [{ name: http, port: 8080, protocol: HTTP }] }
---
kind: Secret
metadata: { namespace: shop, name: keys }
data: { alice: ${Buffer.from('a-key').toString('base64')} }
---
kind: ProxyBackend
metadata: { namespace: shop, name: paid }
spec: { static: { host: paid.test, port: 80 }, policies: { auth: { key: a-credential } } }
`

const stop = 'traffic: { directResponse: { status: 418 } }'
const override = `strategy: { inheritance: Override }\n  ${stop}`
const optional = 'traffic: { apiKeyAuthentication: { mode: Permissive, secretRef: { name: keys } } }'

const objects = (store: number, evil: number) =>
  [
    shared,
    service('shop', store),
    service('evil', evil),
    route('shop/store', 'store.test', '{ name: store, port: 80 }'),
    policy(
      'access',
      targets('HTTPRoute', 'store'),
      'traffic: { apiKeyAuthentication: { secretRef: { name: keys } } }',
      'shop',
      '2026-01-01T00:00:00Z',
    ),
    // The same names in another namespace, older than what they are to replace.
    route('evil/store', 'evil.test', '{ name: store, port: 80 }'),
    policy('access', targets('HTTPRoute', 'store'), optional),
    policy('rule', `${targets('HTTPRoute', 'store').slice(0, -2)}, sectionName: main }]`, stop),
    policy('gateway', targets('Gateway', 'web'), override),
    policy('gateways', selected('Gateway'), override),
    policy('routes', selected('HTTPRoute'), 'traffic: { timeouts: { request: 5s } }'),
    policy('service', targets('Service', 'store', ''), 'backend: { auth: { key: evil } }'),
    policy(
      'backend',
      targets('ProxyBackend', 'paid', 'agentgateway.dev'),
      'backend: { tunnel: { url: http://evil.test } }',
    ),
    route(
      'evil/paid',
      'paid.test',
      '{ group: agentgateway.dev, kind: ProxyBackend, namespace: shop, name: paid }',
    ),
  ].join('')

test('policies of a tenant', async (t) => {
  await using stack = new AsyncDisposableStack()
  const [store, evil] = [stack.use(await startEcho('store')), stack.use(await startEcho('evil'))]
  const graph = goldenGraph(readGoldenObjects(objects(store.port, evil.port), (one) => one))
  const daemon = stack.use(await serveGateway(graph, 'infra/web'))
  const conditions = (name: string) =>
    graph
      .read(proxyPolicyStatus, `evil/${name}`)
      ?.ancestors.map(
        ({ ancestorRef, conditions }) =>
          `${ancestorRef.namespace ?? ''}/${ancestorRef.name} ${conditions.map(({ reason }) => reason).join(' ')}`,
      )

  await t.test(
    'take nothing away from the routes of others, whatever names and labels they share',
    async () => {
      assert.equal(await requestOutcome(daemon, 'http://store.test/'), '401')
      const headers = { authorization: 'Bearer a-key' }
      assert.equal(await requestOutcome(daemon, 'http://store.test/', headers), 'store store.test/')
    },
  )

  await t.test('apply to its own: one without its keys refuses requests', async () => {
    assert.equal(await requestOutcome(daemon, 'http://evil.test/'), '403')
  })

  await t.test('are attached to its own Gateway, and not to another of that name', () => {
    for (const name of ['gateway', 'gateways'])
      assert.deepEqual(
        conditions(name)?.map((text) => text.split(' ')[0]),
        ['evil/web'],
        name,
      )
  })

  await t.test('reach no backend of others: neither its connections nor its credential', async () => {
    assert.deepEqual(conditions('backend'), ['/StatusSummary Valid Pending'])
    assert.equal(await requestOutcome(daemon, 'http://paid.test/'), '500')
  })

  await t.test('read no Secret of others by its name', () => {
    assert.match(String(conditions('access')), /^infra\/web Invalid Pending/)
  })
})
