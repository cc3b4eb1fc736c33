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
const versions = Object.fromEntries([...set].map(([name, { version }]) => [name, version]))
const nothing = { resourceNamesSubscribe: [], resourceNamesUnsubscribe: [], initialResourceVersions: {} }

test('a list that ends the subscription to everything very often costs no more than once', () => {
  // By name as well: what it has is kept, and would be looked at each time.
  const names = [...set.keys(), '*']
  const subscription = new Subscription(
    { ...nothing, resourceNamesSubscribe: names, initialResourceVersions: versions },
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
