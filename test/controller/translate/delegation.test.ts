import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { resourcesOf } from '../../../src/config/xds/resource-tree.ts'
import type { Graph } from '../../../src/controller/graph/graph.ts'
import { delegatedRoutes } from '../../../src/controller/translate/delegation/delegated-routes.ts'
import {
  parseRouteGroupName,
  routeGroupName,
  routeGroupSuffix,
} from '../../../src/controller/translate/delegation/route-group.ts'
import { gatewayRouteResources } from '../../../src/controller/translate/gateway-route-resources.ts'
import { partialFailures } from '../../../src/controller/translate/partial-failures.ts'
import { httpRouteStatus } from '../../../src/controller/translate/route/route-status.ts'
import { goldenGraph, readGoldenObjects } from '../support/golden-objects.ts'

const GATEWAY = 'infra/web'

const gateway = `
kind: GatewayClass
metadata: { name: agentgateway }
spec: { controllerName: agentgateway.dev/agentgateway }
---
kind: Gateway
metadata: { namespace: infra, name: web }
spec:
  gatewayClassName: agentgateway
  listeners: [{ name: http, port: 80, protocol: HTTP, allowedRoutes: { namespaces: { from: All } } }]
`

/** A route without parents, or of the Gateway. */
const route = (key: string, path: string, { to = '', isOfGateway = false, rules = 1 } = {}): string => {
  const [namespace, name] = key.split('/')
  const rule = `{ matches: [{ path: { type: PathPrefix, value: ${path} } }]${to === '' ? '' : `, backendRefs: [{ group: gateway.networking.k8s.io, kind: HTTPRoute, ${to} }]`} }`
  return `
---
kind: HTTPRoute
metadata: { namespace: ${namespace}, name: ${name} }
spec:
  ${isOfGateway ? 'parentRefs: [{ namespace: infra, name: web }]' : ''}
  rules: [${Array.from({ length: rules }, () => rule).join(', ')}]
`
}

const graphOf = (...texts: readonly string[]): Graph =>
  goldenGraph(readGoldenObjects(gateway + texts.join(''), (one) => one))

const set = (graph: Graph, text: string): void => {
  for (const { kind, key, object } of readGoldenObjects(text, (one) => one)) graph.set(kind, key, object)
}

const resources = (graph: Graph) => resourcesOf(graph.read(gatewayRouteResources, GATEWAY))

/** The names of children by the groups that they are in. */
const childrenOf = (graph: Graph): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries(
    Object.entries(graph.read(delegatedRoutes, GATEWAY)).map(([id, groups]) => [
      id.split('/')[2] ?? '',
      groups,
    ]),
  )

suite('delegation', () => {
  test('a group has the name of its source, its namespace and its selector', () => {
    const reference = { source: 'a/b.c', namespace: 'd', selector: 'example.com/e=f' }
    const name = 'a/b.c/d/example.com/e=f'
    assert.equal(routeGroupName(reference), name)
    assert.deepEqual(parseRouteGroupName(name), reference)
    assert.equal(routeGroupSuffix(name), '.routegroup.a.b.c.d.example.com.e=f')
    assert.equal(routeGroupSuffix('a/b/c/*'), '.routegroup.a.b.c.wildcard')
    const ofRule = { ...reference, rule: 'first.rule' }
    assert.equal(routeGroupName(ofRule), 'a/b.c#first.rule/d/example.com/e=f')
    assert.deepEqual(parseRouteGroupName(routeGroupName(ofRule)), ofRule)
  })

  test('a change of one child makes the resources of that child alone', () => {
    const children = Array.from({ length: 300 }, (_, i) => route(`infra/c${i}`, `/c${i}`))
    const graph = graphOf(route('infra/root', '/', { to: "name: '*'", isOfGateway: true }), ...children)
    const before = resources(graph)
    assert.equal(before.length, 301)
    const [memberships, status] = [
      graph.read(delegatedRoutes, GATEWAY),
      graph.read(httpRouteStatus, 'infra/root'),
    ]
    set(graph, route('infra/c7', '/changed'))
    const after = resources(graph)
    const changed = after.filter((one) => !before.includes(one))
    assert.deepEqual(
      changed.map(({ key }) => key),
      ['HTTPRoute/infra/c7/00.routegroup.infra.root.infra.wildcard'],
    )
    assert.equal(graph.read(delegatedRoutes, GATEWAY), memberships)
    assert.equal(graph.read(httpRouteStatus, 'infra/root'), status)
  })

  test('children come and go with labels, and with what their parents select', () => {
    const root = (selector: string) =>
      route('infra/root', '/', { to: `name: '${selector}'`, isOfGateway: true })
    const graph = graphOf(root('stage=live'), route('infra/a', '/a'), route('infra/b', '/b'))
    assert.deepEqual(childrenOf(graph), {})
    set(graph, route('infra/a', '/a').replace('name: a', 'name: a, labels: { stage: live }'))
    assert.deepEqual(childrenOf(graph), { a: ['infra/root/infra/stage=live'] })
    set(graph, root('b'))
    assert.deepEqual(childrenOf(graph), { b: ['infra/root/infra/b'] })
    graph.delete('HTTPRoute', 'infra/root')
    assert.deepEqual(childrenOf(graph), {})
    assert.deepEqual(resources(graph), [])
  })

  test('groups whose names differ in dots only share a resource', () => {
    const labels = 'labels: { b.infra.c: v, c: v }'
    const graph = graphOf(
      route('infra/a', '/', { to: 'name: b.infra.c=v', isOfGateway: true }),
      route('infra/a.infra.b', '/', { to: 'name: c=v', isOfGateway: true }),
      route('infra/child', '/').replace('name: child', `name: child, ${labels}`),
    )
    const found = resources(graph).filter(({ key }) => key.startsWith('HTTPRoute/infra/child'))
    assert.deepEqual(
      found.map(({ key, parents }) => [key, parents]),
      [
        [
          'HTTPRoute/infra/child/00.routegroup.infra.a.infra.b.infra.c=v',
          ['routeGroup/infra/a.infra.b/infra/c=v', 'routeGroup/infra/a/infra/b.infra.c=v'],
        ],
      ],
    )
  })

  test('routes of a namespace that all select each other are limited, and hurt no other namespace', () => {
    const evil = Array.from({ length: 120 }, (_, i) =>
      route(`evil/r${i}`, '/', { to: "name: '*'", rules: 4 }),
    )
    const graph = graphOf(
      route('evil/root', '/evil', { to: "name: '*'", isOfGateway: true }),
      ...evil,
      route('shop/root', '/shop', { to: 'name: cart', isOfGateway: true }),
      route('shop/cart', '/shop/cart'),
    )
    const found = resources(graph)
    assert.ok(found.length <= 10_010, String(found.length))
    assert.ok(found.some(({ key }) => key === 'HTTPRoute/shop/cart/00.routegroup.shop.root.shop.cart'))
    const [failure] = graph.read(partialFailures, GATEWAY)
    assert.match(
      String(failure?.error),
      /delegate to more than 10000 rules of one namespace: evil\/r\d+\/evil\/\*/,
    )
  })

  test('a route whose children are too many says so', () => {
    const children = Array.from({ length: 101 }, (_, i) => route(`shop/c${i}`, '/', { rules: 100 }))
    const graph = graphOf(route('shop/root', '/', { to: "name: '*'", isOfGateway: true }), ...children)
    const status = graph.read(httpRouteStatus, 'shop/root')
    const resolved = status?.parents[0]?.conditions.find(({ type }) => type === 'ResolvedRefs')
    assert.deepEqual([resolved?.status, resolved?.reason], ['False', 'UnsupportedValue'])
    assert.match(resolved?.message ?? '', /shop\/root\/shop\/\*/)
    assert.equal(resources(graph).length, 1)
  })
})
