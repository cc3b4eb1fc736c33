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
const versions = [...set].map(([name, { version }]) => [name, version] as const)
const nothing = { resourceNamesSubscribe: [], resourceNamesUnsubscribe: [] }

test('a list that ends the subscription to everything very often costs no more than once', () => {
  // By name as well: what it has is kept, and would be looked at each time.
  const names = [...set.keys(), '*']
  const subscription = new Subscription({ ...nothing, resourceNamesSubscribe: names }, set, versions)
  assert.deepEqual(subscription.take(set, 1e9).resources, [])
  const begin = cpuTimeMs()
  const often = Array.from({ length: 50_000 }, () => '*')
  subscription.update({ ...nothing, resourceNamesUnsubscribe: often }, set)
  assert.ok(cpuTimeMs() - begin < 1_000)
  subscription.changed(new Set(['bind/1', 'bind/absent']))
  assert.deepEqual(subscription.take(set, 1e9), { resources: [], removed: [], more: false })
})

test('nothing is pending for a client that has everything, and else what differs', () => {
  assert.equal(new Subscription(nothing, set, versions).isPending, false)
  const subscription = new Subscription(nothing, set, [
    ...versions.filter(([name]) => name !== 'bind/7'),
    ['bind/gone', 'v'],
    ['bind/8', 'other'],
  ])
  const { resources, removed, more } = subscription.take(set, 1e9)
  assert.deepEqual(
    resources.map(({ name }) => name),
    ['bind/7', 'bind/8'],
  )
  assert.deepEqual([removed, more], [['bind/gone'], false])
})

test('names that a client has without subscribing to them are removed', () => {
  const subscription = new Subscription({ ...nothing, resourceNamesSubscribe: ['bind/1'] }, set, [
    ['bind/1', set.get('bind/1')?.version ?? ''],
    ['bind/2', set.get('bind/2')?.version ?? ''],
  ])
  assert.deepEqual(subscription.take(set, 1e9), { resources: [], removed: ['bind/2'], more: false })
})
