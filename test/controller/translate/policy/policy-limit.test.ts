import assert from 'node:assert/strict'
import { test } from 'node:test'
import { resourcesOf } from '../../../../src/config/xds/resource-tree.ts'
import type { Graph } from '../../../../src/controller/graph/graph.ts'
import { gatewayPolicyResources } from '../../../../src/controller/translate/policy/policy-resources.ts'
import { proxyPolicyStatus } from '../../../../src/controller/translate/policy/proxy-policy-status.ts'
import { list, object, route, service } from '../../support/long-lists.ts'
import { conditionOf, namespaceGraph, put } from '../../support/namespace-graph.ts'
import { metaOfDay, type PlainObject } from '../../support/plain-object.ts'

/*
 * ProxyPolicies that select very many objects: the youngest are not in force, and where they decide who may do what,
 * every target refuses in their place.
 */

const ROUTES = { group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', matchLabels: { app: 'a' } }

/** A policy of all routes unless it has other targets; the days of 2026 order policies by age. */
const policy = (name: string, day: number, fields: object, namespace = 'ns'): PlainObject => ({
  ...object('ProxyPolicy', name, { targetSelectors: [ROUTES], ...fields }),
  metadata: metaOfDay(name, day, namespace),
})

/** A field of so many KiB and a little more, in place of which nothing refuses. */
const cors = (kibibytes: number) => ({
  cors: { allowOrigins: ['*'], allowHeaders: ['x'.repeat(1024 * kibibytes)] },
})

const authorization = { authorization: { action: 'Allow', policy: { matchExpressions: ['true'] } } }

/** So many routes, of which one is at the Gateway. */
const routes = (count: number, namespace = 'ns'): readonly PlainObject[] =>
  list(count, (index) => ({
    ...(index === 0 ? route({ matches: [] }) : object('HTTPRoute', `route-${index}`, { rules: [{}] })),
    metadata: {
      namespace,
      name: index === 0 ? 'route' : `route-${index}`,
      uid: `route-${index}`,
      labels: { app: 'a' },
    } as PlainObject['metadata'],
  }))

const accepted = (graph: Graph, name: string, namespace = 'ns') =>
  conditionOf(graph.read(proxyPolicyStatus, `${namespace}/${name}`)?.ancestors, 'Accepted')

/** What the proxies of the Gateway get, by the names of the policies. */
const sent = (graph: Graph): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    resourcesOf(graph.read(gatewayPolicyResources, 'ns/gateway')).map(({ key, model }) => [
      key,
      (model as { readonly policy: unknown }).policy,
    ]),
  )

const valid = 'True Valid: Policy accepted'
const tooMany =
  'False TooManyTargets: The ProxyPolicies of namespace ns have more than 100000 fields, each counted for each target and each KiB: nothing of this policy is in force, since older ones come first'
const denied = { authorization: { rules: [{ deny: 'true' }] } }

test('policies are in force up to 100,000 fields times targets; of the youngest, those about access refuse', () => {
  const graph = namespaceGraph([
    ...routes(200),
    // 401 fields of 200 targets.
    policy('old', 1, { traffic: cors(400) }),
    // 98 fields: 200 are left.
    policy('fits', 2, { traffic: cors(97) }),
    policy('young', 3, { traffic: { ...authorization } }),
    policy('younger', 4, { traffic: { ...authorization, timeouts: { request: '5s' } } }),
  ])
  const all = ['old', 'fits', 'young', 'younger']
  assert.deepEqual(
    all.map((name) => accepted(graph, name)),
    [valid, valid, valid, tooMany],
  )
  assert.deepEqual(
    {
      ...sent(graph),
      'traffic/ns/old:cors:ns/route': 'long',
      'traffic/ns/fits:cors:ns/route': 'long',
    },
    {
      'traffic/ns/old:cors:ns/route': 'long',
      'traffic/ns/fits:cors:ns/route': 'long',
      'traffic/ns/young:authorization:ns/route': {
        authorization: { rules: [{ allow: 'true' }] },
      },
      'traffic/ns/younger:authorization:ns/route': denied,
    },
  )
  assert.equal(
    conditionOf(graph.read(proxyPolicyStatus, 'ns/younger')?.ancestors, 'Attached'),
    'False Pending: Policy is not attached due to invalid status',
  )

  put(graph, policy('fits', 2, { traffic: cors(98) }))
  assert.deepEqual(
    all.map((name) => accepted(graph, name)),
    [valid, valid, tooMany, tooMany],
  )
  graph.delete('ProxyPolicy', 'ns/old')
  assert.deepEqual(
    all.slice(1).map((name) => accepted(graph, name)),
    [valid, valid, valid],
  )
  assert.ok('traffic/ns/younger:timeouts:ns/route' in sent(graph))
})

test('what refuses in place of policies is at each target once for each field', () => {
  const selected = (label: string) => ({ targetSelectors: [{ ...ROUTES, matchLabels: { [label]: 'a' } }] })
  const graph = namespaceGraph([
    ...routes(100),
    policy('a', 1, { traffic: cors(1000) }),
    policy('b', 2, { traffic: authorization }),
    policy('c', 3, { ...selected('app'), traffic: authorization }),
    policy('d', 4, {
      targetSelectors: undefined,
      targetRefs: [{ group: ROUTES.group, kind: 'HTTPRoute', name: 'route' }],
      traffic: authorization,
    }),
    policy('e', 5, { traffic: { ...authorization, csrf: {} } }),
    policy('f', 6, { traffic: { timeouts: { request: '5s' } } }),
    policy('g', 7, {
      targetSelectors: undefined,
      targetRefs: [{ group: ROUTES.group, kind: 'Gateway', name: 'gateway' }],
      frontend: { networkAuthorization: { action: 'Allow', policy: { matchExpressions: ['true'] } } },
    }),
  ])
  assert.deepEqual(sent(graph), {
    'frontend/ns/g:networkAuthorization:ns/gateway': {
      frontend: { networkAuthorization: { rules: [{ deny: 'true' }] } },
    },
    'traffic/ns/b:authorization:ns/route': denied,
    'traffic/ns/e:authorization:ns/route': denied,
    'traffic/ns/e:csrf:ns/route': denied,
  })
  assert.deepEqual(
    ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => accepted(graph, name)),
    list(7, () => tooMany),
  )
})

test('the oldest policies with 32 fields have any number of targets, and take nothing from others', () => {
  const graph = namespaceGraph([
    ...routes(4_000),
    policy('a', 1, { traffic: { ...authorization, ...cors(30) } }),
    // 25 fields of 4,000 targets.
    policy('b', 2, { traffic: cors(24) }),
  ])
  assert.deepEqual([accepted(graph, 'a'), accepted(graph, 'b')], [valid, valid])
  put(graph, policy('c', 3, { traffic: authorization }))
  assert.deepEqual(
    [accepted(graph, 'a'), accepted(graph, 'b'), accepted(graph, 'c')],
    [valid, valid, tooMany],
  )
})

test('a policy of a shape that its definition forbids refuses in place of no other', () => {
  const connections = {
    frontend: { networkAuthorization: { action: 'Allow', policy: { matchExpressions: ['true'] } } },
  }
  const gateway = [{ group: ROUTES.group, kind: 'Gateway', name: 'gateway' }]
  const graph = namespaceGraph([
    ...routes(100),
    policy('a', 1, { traffic: cors(1000) }),
    policy('b', 2, { targetSelectors: [null], traffic: authorization }),
    policy('c', 3, { traffic: authorization }),
    // Proxies refuse it, since it has routes as targets as well.
    policy('d', 4, { targetRefs: gateway, ...connections }),
    policy('e', 5, { targetSelectors: undefined, targetRefs: gateway, ...connections }),
  ])
  assert.deepEqual(
    ['a', 'c', 'd', 'e'].map((name) => accepted(graph, name)),
    list(4, () => tooMany),
  )
  assert.deepEqual(sent(graph), {
    'frontend/ns/e:networkAuthorization:ns/gateway': {
      frontend: { networkAuthorization: { rules: [{ deny: 'true' }] } },
    },
    'traffic/ns/c:authorization:ns/route': denied,
  })
})

test('each namespace has its own limit', () => {
  const own = (namespace: string) => [
    ...routes(200, namespace),
    policy('a', 1, { traffic: cors(400) }, namespace),
  ]
  const graph = namespaceGraph([...own('ns'), ...own('other')])
  assert.deepEqual(
    [accepted(graph, 'a'), sent(graph)['traffic/ns/a:cors:ns/route'] !== undefined],
    [valid, true],
  )
  put(graph, policy('b', 0, { traffic: cors(400) }, 'other'))
  assert.match(
    String(accepted(graph, 'a', 'other')),
    /^False TooManyTargets: The ProxyPolicies of namespace other /,
  )
  assert.equal(accepted(graph, 'a'), valid)
})

test('a section of a ProxyBackend counts for each MCP server that it selects', () => {
  const server = (index: number) =>
    service(`s${index}`, [{ name: 'mcp', port: 80, appProtocol: 'agentgateway.dev/mcp' }], { app: 'mcp' })
  const graph = namespaceGraph([
    ...list(199, server),
    object('ProxyBackend', 'tools', {
      mcp: { targets: [{ name: 'all', selector: { services: { matchLabels: { app: 'mcp' } } } }] },
    }),
    policy('a', 1, {
      targetSelectors: undefined,
      targetRefs: [{ group: 'agentgateway.dev', kind: 'ProxyBackend', name: 'tools', sectionName: 'all' }],
      backend: { auth: { key: 'x'.repeat(1024 * 500) } },
    }),
  ])
  assert.equal(accepted(graph, 'a'), undefined)
  put(graph, server(199))
  assert.equal(accepted(graph, 'a'), tooMany)
})
