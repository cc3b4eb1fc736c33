import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Graph } from '../../../src/controller/graph/graph.ts'
import { defineIndex } from '../../../src/controller/graph/object-index.ts'
import { defineQuery } from '../../../src/controller/graph/query.ts'
import type { Service } from '../../../src/controller/kinds/core.ts'
import { assertGrowth, cpuTimeMs } from '../../support/cpu-time.ts'

const service = (name: string, port: number, labels: Record<string, string> = {}): Service => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { namespace: 'ns', name, labels },
  spec: { ports: [{ port }] },
})

const newGraph = (): Graph =>
  new Graph({
    controllerName: 'agentgateway.dev/agentgateway',
    gatewayClassName: 'agentgateway',
    clusterDomain: 'cluster.local',
  })

const byLabel = defineIndex('Service', 'app', ({ metadata }) => [metadata.labels?.app ?? ''])

test('computes a value again only after a change of what it read', () => {
  const graph = newGraph()
  let computed = 0
  const port = defineQuery('port', (reads, key) => {
    computed += 1
    return reads.object('Service', key)?.spec?.ports?.[0]?.port
  })
  assert.equal(graph.read(port, 'ns/a'), undefined)
  graph.set('Service', 'ns/a', service('a', 80))
  assert.equal(graph.read(port, 'ns/a'), 80)
  graph.set('Service', 'ns/b', service('b', 81))
  assert.equal(graph.read(port, 'ns/a'), 80)
  assert.equal(computed, 2)
  graph.delete('Service', 'ns/a')
  assert.equal(graph.read(port, 'ns/a'), undefined)
  assert.equal(computed, 3)
})

test('a value that stays the same leaves its readers as they are', () => {
  const graph = newGraph()
  let outer = 0
  const inner = defineQuery('inner', (reads, key) => [reads.object('Service', key)?.spec?.ports?.[0]?.port])
  const reader = defineQuery('reader', (reads, key) => {
    outer += 1
    return { ports: reads.query(inner, key) }
  })
  graph.set('Service', 'ns/a', service('a', 80))
  const before = graph.read(reader, 'ns/a')
  graph.set('Service', 'ns/a', service('a', 80, { changed: 'label' }))
  assert.equal(graph.read(reader, 'ns/a'), before)
  assert.equal(outer, 1)
  graph.set('Service', 'ns/a', service('a', 90))
  assert.deepEqual(graph.read(reader, 'ns/a'), { ports: [90] })
})

test('a value that stays the same may come to depend on another kind', () => {
  const graph = newGraph()
  const inner = defineQuery('inner', (reads, key) =>
    reads.object('Service', key) ? (reads.object('Secret', key)?.type ?? 'none') : 'none',
  )
  const outer = defineQuery('outer', (reads, key) => reads.query(inner, key))
  const outermost = defineQuery('outermost', (reads, key) => reads.query(outer, key))
  assert.equal(graph.read(outermost, 'ns/a'), 'none')
  graph.set('Service', 'ns/a', service('a', 80))
  assert.equal(graph.read(outermost, 'ns/a'), 'none')
  graph.set('Secret', 'ns/a', {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace: 'ns', name: 'a' },
    type: 'Opaque',
  })
  assert.equal(graph.read(outermost, 'ns/a'), 'Opaque')
})

test('an index follows its objects, in the order of their keys', () => {
  const graph = newGraph()
  const names = defineQuery('names', (reads, app) =>
    reads.indexed(byLabel, app).map(({ metadata }) => metadata.name),
  )
  graph.set('Service', 'ns/b', service('b', 80, { app: 'x' }))
  assert.deepEqual(graph.read(names, 'x'), ['b'])
  graph.set('Service', 'ns/a', service('a', 80, { app: 'x' }))
  assert.deepEqual(graph.read(names, 'x'), ['a', 'b'])
  graph.set('Service', 'ns/b', service('b', 80, { app: 'y' }))
  assert.deepEqual(graph.read(names, 'x'), ['a'])
  assert.deepEqual(graph.read(names, 'y'), ['b'])
})

test('values are independent of the order of changes', () => {
  const all = defineQuery('all', (reads) => reads.objects('Service').map(({ metadata }) => metadata.name))
  const orders = [
    ['a', 'b', 'c'],
    ['c', 'a', 'b'],
  ]
  const results = orders.map((order) => {
    const graph = newGraph()
    for (const name of order) graph.set('Service', `ns/${name}`, service(name, 80))
    return graph.read(all, '')
  })
  assert.deepEqual(results[0], results[1])
})

test('a computation that depends on itself is an error', () => {
  const graph = newGraph()
  const circular = defineQuery('circular', (reads, key): number => reads.query(circular, key))
  assert.throws(() => graph.read(circular, 'x'), { message: 'circular of x depends on itself' })
})

test('forgets values that nobody needs any more', () => {
  const graph = newGraph()
  let computed = 0
  const name = defineQuery('name', (reads, key) => {
    computed += 1
    return reads.object('Service', key)?.metadata.name
  })
  const reader = defineQuery('reader', (reads, key) => ({ name: reads.query(name, key) }))
  graph.set('Service', 'ns/b', service('b', 80))
  graph.read(reader, 'ns/a')
  graph.read(reader, 'ns/b')
  assert.equal(graph.size, 4)
  graph.set('Service', 'ns/c', service('c', 80))
  graph.read(reader, 'ns/b')
  graph.sweep()
  // What the value that is read depends on is kept as well, though nothing has asked for it since.
  assert.equal(graph.size, 2)
  computed = 0
  graph.read(reader, 'ns/b')
  assert.equal(computed, 0)
})

test('an error is kept like a value, and tried again after a change of what was read', () => {
  const graph = newGraph()
  let computed = 0
  const port = defineQuery('port', (reads, key) => {
    computed += 1
    const object = reads.object('Service', key)
    if (!object?.spec) throw new Error('no spec')
    return object.spec.ports?.[0]?.port
  })
  const ports = defineQuery('ports', (reads) =>
    reads.objects('Service').map(({ metadata }) => reads.tryQuery(port, `ns/${metadata.name}`) ?? 'unknown'),
  )
  const failed = defineQuery('failed', (reads) => reads.hasFailed(port, 'ns/a'))
  const { spec: _, ...broken } = service('a', 80)
  graph.set('Service', 'ns/a', broken)
  graph.set('Service', 'ns/b', service('b', 81))
  assert.throws(() => graph.read(port, 'ns/a'), { message: 'no spec' })
  assert.deepEqual([graph.read(ports, ''), graph.read(failed, '')], [['unknown', 81], true])
  computed = 0
  graph.set('Secret', 'ns/x', { apiVersion: 'v1', kind: 'Secret', metadata: { namespace: 'ns', name: 'x' } })
  assert.throws(() => graph.read(port, 'ns/a'), { message: 'no spec' })
  assert.equal(computed, 0)
  graph.set('Service', 'ns/a', service('a', 82))
  assert.equal(graph.read(port, 'ns/a'), 82)
  assert.deepEqual([graph.read(ports, ''), graph.read(failed, '')], [[82, 81], false])
})

test('of a list that has changed, the elements that are equal stay the same objects', () => {
  const graph = newGraph()
  const own: object[] = []
  const list = defineQuery('list', (reads) =>
    reads.objects('Service').map(({ metadata, spec }) => ({ name: metadata.name, ports: spec?.ports })),
  )
  const copy = defineQuery('copy', (reads) => {
    own.push(reads.query(list, ''))
    return reads.query(list, '')
  })
  for (const name of ['a', 'b']) graph.set('Service', `ns/${name}`, service(name, 80))
  const [a, b] = graph.read(copy, '')
  graph.set('Service', 'ns/b', service('b', 90))
  const changed = graph.read(copy, '')
  assert.deepEqual([changed[0] === a, changed[1] === b], [true, false])
  graph.delete('Service', 'ns/b')
  assert.equal(graph.read(copy, '')[0], a)
  // What somebody else has of the list stays as it was.
  assert.deepEqual(
    own.map((one) => (one as readonly object[]).length),
    [2, 2, 1],
  )
})

test('lists of objects that somebody has stay as they were', () => {
  const graph = newGraph()
  graph.set('Service', 'ns/a', service('a', 80))
  const before = graph.objects('Service')
  graph.set('Service', 'ns/b', service('b', 80))
  graph.delete('Service', 'ns/a')
  assert.deepEqual(
    [before, graph.objects('Service')].map((list) => list.map(({ metadata }) => metadata.name)),
    [['a'], ['b']],
  )
})

test('an object of which an index cannot be computed is in no index, and ends nothing', () => {
  const graph = newGraph()
  const byPort = defineIndex('Service', 'port', ({ spec }) =>
    (spec?.ports ?? []).map(({ port }) => String(port)),
  )
  const names = defineQuery('names', (reads, port) =>
    reads.indexed(byPort, port).map(({ metadata }) => metadata.name),
  )
  const poisoned = { ...service('a', 80), spec: { ports: [null] } } as unknown as Service
  graph.set('Service', 'ns/a', service('a', 80))
  assert.deepEqual(graph.read(names, '80'), ['a'])
  graph.set('Service', 'ns/a', poisoned)
  graph.set('Service', 'ns/b', service('b', 80))
  assert.deepEqual(graph.read(names, '80'), ['b'])
  graph.set('Service', 'ns/a', service('a', 80))
  assert.deepEqual(graph.read(names, '80'), ['a', 'b'])
  const late = newGraph()
  late.set('Service', 'ns/a', poisoned)
  assert.deepEqual(late.read(names, '80'), [])
})

test('a kind that was read again counts among the dependencies of whoever reads it through another value', () => {
  const graph = newGraph()
  const secret = defineQuery('secret', (reads, key) => reads.object('Secret', key)?.type)
  const both = defineQuery('both', (reads, key) => [
    reads.object('Service', key)?.metadata.name,
    reads.query(secret, key),
    reads.query(secret, key),
    reads.object('Service', key)?.metadata.name,
  ])
  assert.deepEqual(graph.read(both, 'ns/a'), [undefined, undefined, undefined, undefined])
  graph.set('Service', 'ns/a', service('a', 80))
  assert.deepEqual(graph.read(both, 'ns/a'), ['a', undefined, undefined, 'a'])
  graph.set('Secret', 'ns/a', {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace: 'ns', name: 'a' },
    type: 'Opaque',
  })
  assert.deepEqual(graph.read(both, 'ns/a'), ['a', 'Opaque', 'Opaque', 'a'])
})

test('keeps the order of objects while some are removed and come back', () => {
  const graph = newGraph()
  const names = defineQuery('names', (reads) =>
    reads
      .indexed(byLabel, 'x')
      .map(({ metadata, spec }) => `${metadata.name}${spec?.ports?.[0]?.port ?? ''}`),
  )
  const set = (name: string, port: number) =>
    graph.set('Service', `ns/${name}`, service(name, port, { app: 'x' }))
  for (const name of ['a', 'b', 'c', 'd']) set(name, 1)
  const before = graph.objects('Service')
  assert.deepEqual(graph.read(names, ''), ['a1', 'b1', 'c1', 'd1'])
  for (const name of ['a', 'c', 'd']) graph.delete('Service', `ns/${name}`)
  set('c', 2)
  set('cc', 3)
  graph.delete('Service', 'ns/c')
  set('c', 4)
  graph.delete('Service', 'ns/absent')
  assert.deepEqual(graph.read(names, ''), ['b1', 'c4', 'cc3'])
  assert.deepEqual(
    graph.objects('Service').map(({ metadata }) => metadata.name),
    ['b', 'c', 'cc'],
  )
  assert.equal(before.length, 4)
  for (const name of ['b', 'c', 'cc']) graph.delete('Service', `ns/${name}`)
  assert.deepEqual(graph.read(names, ''), [])
})

test('removes objects in a time that is in proportion to their number', () => {
  const tookMs = (count: number): number => {
    const graph = newGraph()
    const keys = Array.from({ length: count }, (_, index) => `ns/s${String(index).padStart(6, '0')}`)
    for (const key of keys) graph.set('Service', key, service(key.slice(3), 80, { app: 'x' }))
    assert.equal(
      graph.read(
        defineQuery('all', (reads) => reads.indexed(byLabel, 'x').length),
        '',
      ),
      count,
    )
    const begin = cpuTimeMs()
    for (let index = 0; index < count; index++)
      graph.delete('Service', keys[(index * 7_919) % count] as string)
    return cpuTimeMs() - begin
  }
  assertGrowth(tookMs, { few: 5_000, many: 40_000, times: 24 })
})
