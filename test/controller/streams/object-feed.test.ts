import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Graph } from '../../../src/controller/graph/graph.ts'
import type { Service } from '../../../src/controller/kinds/core.ts'
import { ObjectFeed } from '../../../src/controller/streams/object-feed.ts'
import { gatewayObject } from '../support/objects.ts'

const newFeed = () => {
  const graph = new Graph({ controllerName: 'c', gatewayClassName: 'g', clusterDomain: 'cluster.local' })
  return { graph, feed: new ObjectFeed(graph) }
}
const set = (resourceVersion: string, more: object = {}) =>
  ({
    type: 'set',
    kind: 'Gateway',
    key: 'ns/a',
    object: { ...gatewayObject('ns/a', resourceVersion), ...more },
  }) as const
const status = (value: string) => ({ status: { conditions: [{ type: value }] } })

test('a change of the status alone does not reach the graph', () => {
  const { graph, feed } = newFeed()
  assert.ok(feed.apply(set('1', status('Pending'))))
  const { revision } = graph
  const [before] = graph.objects('Gateway')
  assert.ok(!feed.apply(set('2', status('Accepted'))))
  assert.equal(graph.revision, revision)
  assert.equal(graph.objects('Gateway')[0], before)
  assert.deepEqual(feed.current('Gateway', 'ns/a'), { ...gatewayObject('ns/a', '2'), ...status('Accepted') })
})

test('the graph gets no status and no resourceVersion', () => {
  const { graph, feed } = newFeed()
  feed.apply(set('1', status('Pending')))
  const { resourceVersion: _version, ...metadata } = gatewayObject('ns/a', '1').metadata
  assert.deepEqual(graph.objects('Gateway'), [{ ...gatewayObject('ns/a', '1'), metadata }])
})

test('other changes reach the graph, and so do deletions', () => {
  const { graph, feed } = newFeed()
  feed.apply(set('1'))
  assert.ok(feed.apply(set('2', { spec: { gatewayClassName: 'other' } })))
  assert.equal(graph.objects('Gateway')[0]?.spec.gatewayClassName, 'other')
  assert.ok(feed.apply({ ...set('3'), type: 'deleted' }))
  assert.deepEqual(graph.objects('Gateway'), [])
  assert.equal(feed.current('Gateway', 'ns/a'), undefined)
  assert.ok(!feed.apply({ ...set('3'), type: 'deleted' }))
})

test('a Service keeps its status', () => {
  const { graph, feed } = newFeed()
  const service = (ip: string): Service => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 's', namespace: 'ns', resourceVersion: ip },
    status: { loadBalancer: { ingress: [{ ip }] } },
  })
  feed.apply({ type: 'set', kind: 'Service', key: 'ns/s', object: service('10.0.0.1') })
  assert.ok(feed.apply({ type: 'set', kind: 'Service', key: 'ns/s', object: service('10.0.0.2') }))
  assert.equal(graph.objects('Service')[0]?.status?.loadBalancer?.ingress?.[0]?.ip, '10.0.0.2')
})

test('is synced when every kind is', () => {
  const { feed } = newFeed()
  assert.ok(!feed.isSynced(['Gateway', 'Service']))
  assert.ok(feed.apply({ type: 'synced', kind: 'Gateway' }))
  assert.ok(!feed.apply({ type: 'synced', kind: 'Gateway' }))
  assert.ok(!feed.isSynced(['Gateway', 'Service']))
  feed.apply({ type: 'synced', kind: 'Service' })
  assert.ok(feed.isSynced(['Gateway', 'Service']))
  assert.ok(!feed.isSynced())
})
