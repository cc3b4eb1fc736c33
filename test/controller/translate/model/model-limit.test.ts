import assert from 'node:assert/strict'
import { test } from 'node:test'
import { resourcesOf } from '../../../../src/config/xds/resource-tree.ts'
import type { XdsModels } from '../../../../src/config/xds/xds-resource.ts'
import type { Graph } from '../../../../src/controller/graph/graph.ts'
import { gatewayModelResources } from '../../../../src/controller/translate/model/model-resources.ts'
import { proxyModelStatus } from '../../../../src/controller/translate/model/proxy-model-status.ts'
import { list, object } from '../../support/long-lists.ts'
import { conditionOf, namespaceGraph, put } from '../../support/namespace-graph.ts'
import { metaOfDay, type PlainObject } from '../../support/plain-object.ts'

/* Models at very many listeners: the youngest of a namespace are not served. */

const LISTENERS = 1_000

const gateway = object('Gateway', 'gateway', {
  gatewayClassName: 'agentgateway',
  listeners: list(LISTENERS, (index) => ({
    name: `l${index}`,
    port: 1_000 + index,
    protocol: 'HTTP',
    allowedRoutes: {
      namespaces: { from: 'All' },
      kinds: [{ group: 'agentgateway.dev', kind: 'ProxyModel' }],
    },
  })),
})

/** A model of a day of 2026; it is at all listeners, or at some. */
const model = (
  name: string,
  day: number,
  spec: object = { provider: { type: 'OpenAI' } },
  { namespace = 'ns', sections = 0 } = {},
): PlainObject => ({
  ...object('ProxyModel', name, {
    parentRefs: list(Math.max(sections, 1), (index) => ({
      group: 'gateway.networking.k8s.io',
      kind: 'Gateway',
      namespace: 'ns',
      name: 'gateway',
      ...(sections > 0 && { sectionName: `l${index}` }),
    })),
    ...spec,
  }),
  metadata: metaOfDay(name, day, namespace),
})

const accepted = (graph: Graph, name: string, namespace = 'ns') =>
  conditionOf(graph.read(proxyModelStatus, `${namespace}/${name}`)?.parents, 'Accepted')

/** The ids of the models that the proxies of the Gateway get. */
const sent = (graph: Graph): readonly (string | undefined)[] => [
  ...new Set(
    resourcesOf(graph.read(gatewayModelResources, 'ns/gateway')).flatMap(({ model: section }) =>
      (section as XdsModels['models']).models.map(({ id }) => id),
    ),
  ),
]

const valid = 'True Accepted: Successfully accepted ProxyModel'
const tooMany =
  'False TooManyModels: Models of namespace ns at more than 16 listeners of Gateway ns/gateway are more than 100000 there, each counted for each listener and each KiB; names come before patterns, and older models first'

test('models at many listeners are up to 100,000 times listeners, and the youngest are not served', () => {
  const graph = namespaceGraph([
    gateway,
    ...list(99, (index) => model(`old-${index}`, 1)),
    model('middle', 2),
    model('few-listeners', 4, undefined, { sections: 16 }),
    model('elsewhere', 5, undefined, { namespace: 'other' }),
  ])
  const all = [...list(99, (index) => `ns/old-${index}`), 'ns/middle', 'ns/few-listeners', 'other/elsewhere']
  assert.deepEqual(sent(graph).toSorted(), all.toSorted())
  put(graph, model('young', 3))
  assert.deepEqual(
    ['old-0', 'middle', 'young', 'few-listeners'].map((name) => accepted(graph, name)),
    [valid, valid, tooMany, valid],
  )
  assert.equal(accepted(graph, 'elsewhere', 'other'), valid)
  assert.deepEqual(sent(graph).toSorted(), all.toSorted())

  graph.delete('ProxyModel', 'ns/middle')
  assert.equal(accepted(graph, 'young'), valid)
  assert.ok(sent(graph).includes('ns/young'))
})

test('a model counts for each KiB that it is long, and a virtual one with its targets', () => {
  const long = { provider: { type: 'OpenAI' }, policies: { note: 'x'.repeat(40 * 1_024) } }
  const virtual = {
    virtualModel: {
      weighted: { targets: list(2, (index) => ({ modelRef: { name: `target-${index}` }, weight: 1 })) },
    },
  }
  const graph = namespaceGraph([
    gateway,
    ...list(2, (index) => model(`target-${index}`, 1, long, { sections: 1 })),
    model('virtual', 2, virtual),
    ...list(17, (index) => model(`old-${index}`, 3)),
  ])
  // 1 + 2 * 41, and 17.
  assert.deepEqual([accepted(graph, 'virtual'), accepted(graph, 'old-16')], [valid, valid])
  put(graph, model('young', 4))
  assert.deepEqual([accepted(graph, 'old-16'), accepted(graph, 'young')], [valid, tooMany])
})

test('a name stays that of a namespace whose model with it is beyond the limit', () => {
  const graph = namespaceGraph([
    gateway,
    ...list(100, (index) => model(`old-${index}`, 1)),
    model('a', 2, { provider: { type: 'OpenAI' }, match: { model: 'shared' } }),
    model('b', 3, { provider: { type: 'OpenAI' }, match: { model: 'shared' } }, { namespace: 'other' }),
  ])
  assert.equal(accepted(graph, 'a'), tooMany)
  assert.match(String(accepted(graph, 'b', 'other')), /^False ModelRoutingConflict: .*ProxyModel ns\/a/)
  assert.ok(!sent(graph).includes('other/b'))
})

test('requests for a model that is left out do not get to a wider pattern of its namespace', () => {
  const pattern = (text: string) => ({ provider: { type: 'OpenAI' }, match: { model: text } })
  const graph = namespaceGraph([
    gateway,
    model('all', 1, pattern('*')),
    model('all-at-one', 1, pattern('*'), { sections: 1 }),
    model('group', 2, pattern('group-*')),
    model('all-elsewhere', 1, pattern('*'), { namespace: 'other' }),
    ...list(98, (index) => model(`model-${index}`, 3)),
  ])
  const names = ['all', 'all-at-one', 'group', 'model-97']
  assert.deepEqual(
    names.map((name) => accepted(graph, name)),
    [valid, valid, valid, valid],
  )
  put(graph, model('model-98', 4))
  assert.deepEqual(
    names.map((name) => accepted(graph, name)),
    [tooMany, tooMany, valid, valid],
  )
  put(graph, model('model-99', 4))
  assert.deepEqual(
    names.map((name) => accepted(graph, name)),
    [tooMany, tooMany, tooMany, valid],
  )
  assert.match(String(accepted(graph, 'all-elsewhere', 'other')), /ModelRoutingConflict/)
})
