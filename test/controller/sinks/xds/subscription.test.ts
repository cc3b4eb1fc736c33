import assert from 'node:assert/strict'
import { test } from 'node:test'
import { xdsResource } from '../../../../src/config/xds/xds-resource.ts'
import { Subscription } from '../../../../src/controller/sinks/xds/subscription.ts'
import { cpuTimeMs } from '../../../support/cpu-time.ts'

const set = new Map(
  Array.from({ length: 20_000 }, (_, index) => {
    const resource = xdsResource('bind', String(index), { port: 80 })
    return [`bind/${index}`, resource] as const
  }),
)
/** Of a client that has everything. */
const versions = () => new Map<string, string>([...set].map(([name, { version }]) => [name, version]))
const nothing = { resourceNamesSubscribe: [], resourceNamesUnsubscribe: [] }

test('a list that ends the subscription to everything very often costs no more than once', () => {
  // By name as well: what it has is kept, and would be looked at each time.
  const names = [...set.keys(), '*']
  const subscription = new Subscription(
    { ...nothing, resourceNamesSubscribe: names, versions: versions() },
    set,
  )
  assert.deepEqual(subscription.take(set, 1e9).resources, [])
  const begin = cpuTimeMs()
  const often = Array.from({ length: 50_000 }, () => '*')
  subscription.update({ ...nothing, resourceNamesUnsubscribe: often }, set)
  assert.ok(cpuTimeMs() - begin < 1_000)
  subscription.changed(new Set(['bind/1', 'bind/absent']))
  assert.deepEqual(subscription.take(set, 1e9), { resources: [], removed: [], more: false })
})

test('nothing is pending for a client that has everything, and else what differs', () => {
  assert.equal(new Subscription({ ...nothing, versions: versions() }, set).isPending, false)
  const known = versions().set('bind/gone', 'v').set('bind/8', 'other')
  known.delete('bind/7')
  const subscription = new Subscription({ ...nothing, versions: known }, set)
  const { resources, removed, more } = subscription.take(set, 1e9)
  assert.deepEqual(
    resources.map(({ name }) => name),
    ['bind/7', 'bind/8'],
  )
  assert.deepEqual([removed, more], [['bind/gone'], false])
})

test('names that a client has without subscribing to them are removed', () => {
  const all = versions()
  const known = new Map(['bind/1', 'bind/2'].map((name) => [name, all.get(name) ?? '']))
  const subscription = new Subscription(
    { ...nothing, resourceNamesSubscribe: ['bind/1'], versions: known },
    set,
  )
  assert.deepEqual(subscription.take(set, 1e9), { resources: [], removed: ['bind/2'], more: false })
})
