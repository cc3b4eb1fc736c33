import assert from 'node:assert/strict'
import { test } from 'node:test'
import { from, lastValueFrom, toArray } from 'rxjs'
import { changedResources } from '../../src/controller/changed-resources.ts'
import type { DesiredGateway, DesiredState } from '../../src/controller/translate/desired-state.ts'
import type { XdsResource } from '../../src/config/xds/xds-resource.ts'

const gateway = (role: string, resources: readonly XdsResource[]): DesiredGateway => ({
  key: role,
  generation: 1,
  role,
  resources,
  plan: undefined,
})
const state = (...gateways: readonly DesiredGateway[]): DesiredState => ({
  gateways,
  statuses: [],
  failures: [],
  unknownRoles: [],
  classes: [],
  keySets: [],
})

test('the resources of a role are emitted when they differ, and once more when the role is gone', async () => {
  const [a, b, newB] = [[], [], []] as const
  const states = [
    state(gateway('a', a), gateway('b', b)),
    state(gateway('a', a), gateway('b', b)),
    state(gateway('a', a), gateway('b', newB)),
    state(gateway('b', newB)),
    state(),
    state(),
  ]
  const changes = await lastValueFrom(from(states).pipe(changedResources, toArray()))
  assert.deepEqual(
    changes.map(({ role, resources }) => [role, resources !== undefined]),
    [
      ['a', true],
      ['b', true],
      ['b', true],
      ['a', false],
      ['b', false],
    ],
  )
  assert.equal(changes[2]?.resources, newB)
})
