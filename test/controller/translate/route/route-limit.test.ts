import assert from 'node:assert/strict'
import { test } from 'node:test'
import { resourcesOf } from '../../../../src/config/xds/resource-tree.ts'
import type { Graph } from '../../../../src/controller/graph/graph.ts'
import { gatewayRouteResources } from '../../../../src/controller/translate/gateway-route-resources.ts'
import { httpRouteStatus } from '../../../../src/controller/translate/route/route-status.ts'
import { list, object } from '../../support/long-lists.ts'
import { conditionOf, namespaceGraph, put } from '../../support/namespace-graph.ts'
import { metaOfDay, type PlainObject } from '../../support/plain-object.ts'

/* Routes at very many listeners: the youngest of a namespace are not served. */

const gateway = (listeners: number) =>
  object('Gateway', 'gateway', {
    gatewayClassName: 'agentgateway',
    listeners: list(listeners, (index) => ({
      name: `l${index}`,
      port: 1_000 + index,
      protocol: 'HTTP',
      allowedRoutes: { namespaces: { from: 'All' } },
    })),
  })

/** A route of a day of 2026; it is at all listeners, or at some. */
const route = (
  name: string,
  day: number,
  rules: number,
  { namespace = 'ns', sections = 0 } = {},
): PlainObject => ({
  ...object('HTTPRoute', name, {
    parentRefs:
      sections === 0
        ? [{ namespace: 'ns', name: 'gateway' }]
        : list(sections, (index) => ({ namespace: 'ns', name: 'gateway', sectionName: `l${index}` })),
    rules: list(rules, (index) => ({ matches: [{ path: { type: 'PathPrefix', value: `/${index}` } }] })),
  }),
  metadata: metaOfDay(name, day, namespace),
})

const accepted = (graph: Graph, name: string, namespace = 'ns') =>
  conditionOf(graph.read(httpRouteStatus, `${namespace}/${name}`)?.parents, 'Accepted')

/** The names of the routes that the proxies of the Gateway get. */
const sent = (graph: Graph): readonly string[] => [
  ...new Set(
    resourcesOf(graph.read(gatewayRouteResources, 'ns/gateway')).flatMap(({ kind, key }) =>
      kind === 'route' ? [key.replace(/^HTTPRoute\/(.*)\/\d+$/, '$1')] : [],
    ),
  ),
]

const valid = 'True Accepted: Route is accepted'
const tooMany =
  'False TooManyRules: Routes of namespace ns at more than 16 listeners of Gateway ns/gateway have more than 100000 rules there, each counted for each listener; older routes come first'

test('routes at many listeners have up to 100,000 rules times listeners, and the youngest are not served', () => {
  const graph = namespaceGraph([
    gateway(100),
    route('old', 1, 600),
    route('middle', 2, 400),
    route('few-listeners', 4, 100, { sections: 16 }),
    route('elsewhere', 5, 100, { namespace: 'other' }),
  ])
  assert.deepEqual(
    ['old', 'middle', 'few-listeners'].map((name) => accepted(graph, name)),
    [valid, valid, valid],
  )
  put(graph, route('young', 3, 1))
  assert.deepEqual(
    ['old', 'middle', 'young', 'few-listeners'].map((name) => accepted(graph, name)),
    [valid, valid, tooMany, valid],
  )
  assert.equal(accepted(graph, 'elsewhere', 'other'), valid)
  assert.deepEqual(sent(graph).toSorted(), ['ns/few-listeners', 'ns/middle', 'ns/old', 'other/elsewhere'])

  put(graph, route('old', 1, 601))
  assert.deepEqual(
    ['old', 'middle', 'young'].map((name) => accepted(graph, name)),
    [valid, tooMany, tooMany],
  )
  graph.delete('HTTPRoute', 'ns/middle')
  assert.deepEqual([accepted(graph, 'old'), accepted(graph, 'young')], [valid, valid])
  assert.ok(sent(graph).includes('ns/young'))
})
