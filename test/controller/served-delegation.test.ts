import assert from 'node:assert/strict'
import { test } from 'node:test'
import { resourcesOf } from '../../src/config/xds/resource-tree.ts'
import { type XdsResource, xdsResource } from '../../src/config/xds/xds-resource.ts'
import type { Graph } from '../../src/controller/graph/graph.ts'
import { gatewayRouteResources } from '../../src/controller/translate/gateway-route-resources.ts'
import { gatewayListenerResources } from '../../src/controller/translate/listener/gateway-listener-resources.ts'
import { gatewayPolicyResources } from '../../src/controller/translate/policy/policy-resources.ts'
import { anyPorts, startDaemon } from '../support/daemon.ts'
import { freePort } from '../support/free-port.ts'
import { sendRequest } from '../support/send-request.ts'
import { startXdsServer } from '../support/xds/xds-server.ts'
import { type GoldenObject, goldenGraph, readGoldenObjects } from './support/golden-objects.ts'

/*
 * Routes that delegate, served by a gateway in its own process that gets them by xDS, as in a cluster. Children reply
 * themselves, by a policy at them.
 */

const GATEWAY = 'infra/web'
const ROUTES = 'group: gateway.networking.k8s.io, kind: HTTPRoute'

const gateway = (port: number): string => `
kind: GatewayClass
metadata: { name: agentgateway }
spec: { controllerName: agentgateway.dev/agentgateway }
---
kind: Gateway
metadata: { namespace: infra, name: web }
spec:
  gatewayClassName: agentgateway
  listeners: [{ name: http, port: ${port}, protocol: HTTP }]
`

const grant = (namespace: string): string => `
---
kind: ReferenceGrant
metadata: { namespace: ${namespace}, name: routes }
spec:
  from: [{ ${ROUTES}, namespace: infra }]
  to: [{ ${ROUTES} }]
`

interface RouteFields {
  readonly parent?: string
  readonly more?: string
  readonly labels?: string
  readonly createdAt?: string
  readonly filters?: string
}

const prefix = (path: string) => `matches: [{ path: { type: PathPrefix, value: ${path} } }]`

/** A route that delegates: to `name: x, namespace: y`. */
const delegating = (key: string, path: string, to: string, fields: RouteFields = {}): string =>
  route(key, `[{ ${prefix(path)}, ${fields.filters ?? ''} backendRefs: [{ ${ROUTES}, ${to} }] }]`, fields)

/** A route that replies with its key, or another body. */
const leaf = (key: string, path: string, fields: RouteFields = {}, body = key): string =>
  `${route(key, `[{ ${prefix(path)} }]`, fields)}${reply(key, body)}`

const reply = (key: string, body: string): string => `
---
kind: ProxyPolicy
metadata: ${named(key)}
spec:
  targetRefs: [{ ${ROUTES}, name: ${key.split('/')[1]} }]
  traffic: { directResponse: { status: 200, body: ${body} } }
`

/** Lets requests to a route in where an expression holds. */
const authorization = (key: string, expression: string): string => `
---
kind: ProxyPolicy
metadata: ${named(`${key}-authorization`)}
spec:
  targetRefs: [{ ${ROUTES}, name: ${key.split('/')[1]} }]
  traffic: { authorization: { action: Allow, policy: { matchExpressions: ['${expression}'] } } }
`

const route = (
  key: string,
  rules: string,
  { parent, more = '', labels = '', createdAt = '2026-01-01T00:00:00Z' }: RouteFields,
): string => `
---
kind: HTTPRoute
metadata: ${named(key, `, labels: { ${labels} }, creationTimestamp: '${createdAt}'`)}
spec: { ${parent === undefined ? '' : `parentRefs: [{ ${parent} }],`} ${more} rules: ${rules} }
`

const named = (key: string, more = ''): string => {
  const [namespace, name] = key.split('/')
  return `{ namespace: ${namespace}, name: ${name}${more} }`
}

const root = { parent: 'name: web' }

const objects = [
  delegating('infra/shop', '/shop', "namespace: shop, name: '*'", {
    ...root,
    filters:
      'filters: [{ type: ResponseHeaderModifier, responseHeaderModifier: { set: [{ name: x-parent, value: shop }] } }],',
  }),
  grant('shop'),
  leaf('shop/cart', '/shop/cart'),
  leaf('shop/greedy', '/', { more: 'hostnames: [pay.test],' }),
  leaf('shop/pay', '/pay'),
  leaf('shop/older', '/shop/same'),
  leaf('shop/newer', '/shop/same', { createdAt: '2026-01-02T00:00:00Z' }),
  leaf('shop/own', '/shop/own', { parent: 'name: nothing' }),
  delegating('infra/label', '/label', 'namespace: shop, name: stage=live', root),
  leaf('shop/live', '/label/live', { labels: 'stage: live' }),
  delegating('infra/closed', '/closed', "namespace: closed, name: '*'", root),
  leaf('closed/hidden', '/closed'),
  leaf('closed/agrees', '/closed/agrees', { parent: `${ROUTES}, namespace: infra, name: closed` }),
  delegating('infra/deep', '/deep', 'namespace: deep, name: middle', root),
  grant('deep'),
  delegating('deep/middle', '/deep/er', 'name: bottom'),
  leaf('deep/bottom', '/deep/er/still'),
  delegating('infra/guarded', '/guarded', 'name: inner', root),
  leaf('infra/inner', '/guarded'),
  authorization('infra/guarded', 'request.headers["x-key"] == "1"'),
  authorization('infra/inner', 'true'),
  delegating('infra/loop', '/loop', 'namespace: loop, name: a', root),
  grant('loop'),
  delegating('loop/a', '/loop', 'name: b'),
  delegating('loop/b', '/loop', 'name: a'),
].join('')

const objectsOf = (text: string): readonly GoldenObject[] => readGoldenObjects(text, (one) => one)

/** What proxies get, at 127.0.0.1. */
const published = (graph: Graph): readonly XdsResource[] =>
  [gatewayListenerResources, gatewayRouteResources, gatewayPolicyResources]
    .flatMap((query) => resourcesOf(graph.read(query, GATEWAY)))
    .map((one) =>
      one.kind === 'bind' ? xdsResource('bind', one.key, { ...one.model, address: '127.0.0.1' }) : one,
    )

test('routes that delegate to others', async (t) => {
  const port = await freePort()
  const graph = goldenGraph(objectsOf(gateway(port) + objects))
  await using server = await startXdsServer()
  server.sets.set(GATEWAY, published(graph))
  const env = { XDS_ADDRESS: `http://127.0.0.1:${server.port}`, NAMESPACE: 'infra', GATEWAY: 'web' }
  await using daemon = await startDaemon(anyPorts, { env })
  let versions = 2
  const inForce = () => daemon.printed(new RegExp(`(?:configuration in force[^]*){${versions}}`))
  await inForce()
  const ask = (path: string, host = 'any.test') =>
    sendRequest(`http://127.0.0.1:${port}`, path, { headers: { host } })
  const expect = async (path: string, expected: string, host?: string): Promise<void> => {
    const { status, text } = await ask(path, host)
    assert.equal(status === 200 ? text : `${status} ${text}`, expected, path)
  }
  const change = async (text: string): Promise<void> => {
    for (const { kind, key, object } of objectsOf(text)) graph.set(kind, key, object)
    await publish()
  }
  const publish = async (): Promise<void> => {
    server.sets.set(GATEWAY, published(graph))
    versions++
    await inForce()
  }

  await t.test('a child serves what it matches of the requests of its parent', async () => {
    await expect('/shop/cart/1', 'shop/cart')
    assert.equal((await ask('/shop/cart')).headers['x-parent'], 'shop')
    await expect('/label/live', 'shop/live')
  })

  await t.test('requests that no child matches have no route', async () => {
    await expect('/shop/none', '404 route not found')
    await expect('/label/none', '404 route not found')
  })

  await t.test('a child gets no request that its parent does not match', async () => {
    await expect('/pay', '404 route not found')
    await expect('/anything', '404 route not found', 'pay.test')
    await expect('/shop/none', 'shop/greedy', 'pay.test')
  })

  await t.test('a route that names other parents is no child', () =>
    expect('/shop/own', '404 route not found'),
  )

  await t.test('of two children with the same match the older one serves', () =>
    expect('/shop/same', 'shop/older'),
  )

  await t.test('a namespace that grants nothing has only the children that name the parent', async () => {
    await expect('/closed', '404 route not found')
    await expect('/closed/agrees', 'closed/agrees')
  })

  await t.test('a child may delegate as well', async () => {
    await expect('/deep/er/still', 'deep/bottom')
    await expect('/deep/er', '404 route not found')
  })

  await t.test('a child cannot open what its parent closes', async () => {
    assert.equal((await ask('/guarded')).status, 403)
    const allowed = await sendRequest(`http://127.0.0.1:${port}`, '/guarded', { headers: { 'x-key': '1' } })
    assert.equal(allowed.text, 'infra/inner')
  })

  await t.test('requests that are delegated in a circle get 500', () =>
    expect('/loop', '500 route delegation cycle detected'),
  )

  await t.test('a change of a child, and a child that comes', async () => {
    await change(leaf('shop/cart', '/shop/cart', {}, 'changed') + leaf('shop/new', '/shop/new'))
    await expect('/shop/cart', 'changed')
    await expect('/shop/new', 'shop/new')
  })

  await t.test('a grant that is taken back ends the delegation at once', async () => {
    graph.delete('ReferenceGrant', 'shop/routes')
    await publish()
    await expect('/shop/cart', '404 route not found')
    await expect('/deep/er/still', 'deep/bottom')
  })
})
