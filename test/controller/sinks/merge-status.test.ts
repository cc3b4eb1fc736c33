import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Condition } from '../../../src/controller/kinds/object.ts'
import { mergeStatus } from '../../../src/controller/sinks/status/merge-status.ts'
import type { CurrentStatus } from '../../../src/controller/sinks/status/object-status.ts'

const us = { controllerName: 'agentgateway.dev/agentgateway', now: '2026-01-02T00:00:00Z' }
const before = '2026-01-01T00:00:00Z'
const wanted = (type: string, status: 'True' | 'False' = 'True', generation = 1) => ({
  type,
  status,
  reason: type,
  message: '',
  observedGeneration: generation,
})
const is = (type: string, status: 'True' | 'False' = 'True', generation = 1): Condition => ({
  ...wanted(type, status, generation),
  lastTransitionTime: before,
})
const entry = (controllerName: string, name: string, ...conditions: readonly Condition[]) => ({
  controllerName,
  parentRef: { group: 'gateway.networking.k8s.io', kind: 'Gateway', name },
  conditions,
})
const desired = (name: string, ...conditions: readonly ReturnType<typeof wanted>[]) => ({
  parentRef: { name },
  conditions,
})

test('conditions', async (t) => {
  await t.test('get the time of their change', () => {
    const current = { conditions: [is('Accepted', 'False'), is('Programmed')] }
    const write = mergeStatus(
      'Gateway',
      current,
      { conditions: [wanted('Accepted', 'True', 2), wanted('Programmed', 'True', 2)] },
      us,
    )
    assert.deepEqual(write?.status.conditions, [
      { ...wanted('Accepted', 'True', 2), lastTransitionTime: us.now },
      { ...wanted('Programmed', 'True', 2), lastTransitionTime: before },
    ])
    assert.equal(write.isShared, false)
  })

  await t.test('are not written when they are there, in any order', () => {
    const current = { conditions: [is('Programmed'), is('Accepted')] }
    const status = { conditions: [wanted('Accepted'), wanted('Programmed')] }
    assert.equal(mergeStatus('Gateway', current, status, us), undefined)
  })

  await t.test('of others stay, and ours that are no longer wanted go', () => {
    const status = { conditions: [wanted('Accepted')] }
    const foreign = { conditions: [is('Accepted'), is('example.com/Audited')] }
    assert.equal(mergeStatus('Gateway', foreign, status, us), undefined)
    const stale = { conditions: [is('Accepted'), is('InsecureFrontendValidationMode')] }
    assert.deepEqual(mergeStatus('Gateway', stale, status, us)?.status.conditions, [is('Accepted')])
  })
})

test('listeners', async (t) => {
  const listener = (
    name: string,
    attachedRoutes: number,
    ...conditions: readonly ReturnType<typeof wanted>[]
  ) => ({
    name,
    attachedRoutes,
    supportedKinds: [{ kind: 'HTTPRoute' }],
    conditions,
  })
  const current: CurrentStatus = {
    listeners: [
      { ...listener('b', 0), conditions: [] },
      { ...listener('a', 1), conditions: [is('Accepted')] },
    ],
  }

  await t.test('are compared by name, and defaults of the server do not matter', () => {
    const defaulted = {
      listeners: current.listeners?.map((one) => ({
        ...one,
        supportedKinds: [{ group: 'gateway.networking.k8s.io', kind: 'HTTPRoute' }],
      })),
    } as CurrentStatus
    const status = { listeners: [listener('a', 1, wanted('Accepted')), listener('b', 0)] }
    assert.equal(mergeStatus('Gateway', defaulted, status, us), undefined)
  })

  await t.test('keep the times of their conditions', () => {
    const status = { listeners: [listener('a', 2, wanted('Accepted')), listener('b', 0)] }
    const [a] = mergeStatus('Gateway', current, status, us)?.status.listeners ?? []
    assert.equal(a?.attachedRoutes, 2)
    assert.equal(a.conditions?.[0]?.lastTransitionTime, before)
  })

  await t.test('that are gone are written as gone', () => {
    const status = { listeners: [listener('a', 1, wanted('Accepted'))] }
    assert.equal(mergeStatus('Gateway', current, status, us)?.status.listeners?.length, 1)
  })
})

test('addresses that are gone are written as gone', () => {
  const current = { addresses: [{ type: 'IPAddress', value: '10.0.0.1' }] }
  assert.deepEqual(mergeStatus('Gateway', current, {}, us), { status: {}, isShared: false })
  assert.equal(mergeStatus('Gateway', current, { ...current }, us), undefined)
})

test('entries of parents', async (t) => {
  const other = entry('example.com/other', 'x', is('Accepted'))
  const ours = entry(us.controllerName, 'gw', is('Accepted'))

  await t.test('come after those of other controllers', () => {
    const write = mergeStatus(
      'HTTPRoute',
      { parents: [other] },
      { parents: [desired('gw', wanted('Accepted'))] },
      us,
    )
    assert.ok(write?.isShared)
    assert.deepEqual(write.status.parents?.[0], other)
    assert.deepEqual(write.status.parents[1], {
      controllerName: us.controllerName,
      parentRef: { name: 'gw' },
      conditions: [{ ...wanted('Accepted'), lastTransitionTime: us.now }],
    })
  })

  await t.test('are the same wherever they stand, with references as the server completes them', () => {
    const status = { parents: [desired('gw', wanted('Accepted'))] }
    assert.equal(mergeStatus('HTTPRoute', { parents: [ours, other] }, status, us), undefined)
    assert.equal(mergeStatus('HTTPRoute', { parents: [other, ours] }, status, us), undefined)
  })

  await t.test('differ by section and port', () => {
    const status = {
      parents: [{ ...desired('gw', wanted('Accepted')), parentRef: { name: 'gw', sectionName: 's' } }],
    }
    const parents = mergeStatus('HTTPRoute', { parents: [ours] }, status, us)?.status.parents
    assert.equal(parents?.length, 1)
    assert.equal(parents[0]?.conditions?.[0]?.lastTransitionTime, us.now)
  })

  await t.test('are removed when the object is no longer ours, and only they', () => {
    assert.deepEqual(mergeStatus('HTTPRoute', { parents: [other, ours] }, undefined, us)?.status.parents, [
      other,
    ])
    assert.equal(mergeStatus('HTTPRoute', { parents: [other] }, undefined, us), undefined)
    assert.equal(mergeStatus('Gateway', { conditions: [is('Accepted')] }, undefined, us), undefined)
  })

  await t.test('lose a condition that is no longer wanted', () => {
    const shadowed = entry(us.controllerName, 'gw', is('Accepted'), is('agentgateway.dev/Shadowed'))
    const status = { parents: [desired('gw', wanted('Accepted'))] }
    assert.deepEqual(
      mergeStatus('HTTPRoute', { parents: [shadowed] }, status, us)?.status.parents?.[0]?.conditions,
      [is('Accepted')],
    )
  })

  await t.test('do not push others out of a full list', () => {
    const full = Array.from({ length: 16 }, (_, at) => ({
      controllerName: 'example.com/other',
      ancestorRef: { name: `g${at}` },
      conditions: [],
    }))
    const status = { ancestors: [{ ancestorRef: { name: 'gw' }, conditions: [wanted('Accepted')] }] }
    assert.equal(mergeStatus('BackendTLSPolicy', { ancestors: full }, status, us), undefined)
    const write = mergeStatus('BackendTLSPolicy', { ancestors: full.slice(1) }, status, us)
    assert.equal(write?.status.ancestors?.length, 16)
  })

  await t.test('say how many policies have no room', () => {
    const ancestors = Array.from({ length: 18 }, (_, at) => ({
      ancestorRef: { name: `g${at}` },
      conditions: [wanted('Accepted')],
    }))
    const other = { controllerName: 'example.com/other', ancestorRef: { name: 'gw' }, conditions: [] }
    const write = mergeStatus('ProxyPolicy', { ancestors: [other] }, { ancestors }, us)
    const written = write?.status.ancestors ?? []
    assert.equal(written.length, 16)
    assert.deepEqual([written[0], written[14]?.ancestorRef], [other, { name: 'g13' }])
    assert.deepEqual(written[15], {
      ancestorRef: { group: 'agentgateway.dev', name: 'StatusSummary' },
      controllerName: us.controllerName,
      conditions: [
        {
          type: 'StatusSummarized',
          status: 'True',
          reason: 'StatusSummary',
          message: '4 AncestorRefs ignored due to max status size',
          lastTransitionTime: us.now,
        },
      ],
    })
    const status: CurrentStatus = JSON.parse(JSON.stringify(write?.status)) as CurrentStatus
    assert.equal(mergeStatus('ProxyPolicy', status, { ancestors }, us), undefined)
    const none = Array.from({ length: 16 }, () => other)
    assert.equal(mergeStatus('ProxyPolicy', { ancestors: none }, { ancestors }, us), undefined)
  })

  await t.test('keep whether a policy is attached where that is not said anew', () => {
    const known = {
      controllerName: us.controllerName,
      ancestorRef: { name: 'gw' },
      conditions: [is('Accepted'), is('Attached')],
    }
    const ancestors = [{ ancestorRef: { name: 'gw' }, conditions: [wanted('Accepted', 'False')] }]
    const write = mergeStatus('ProxyPolicy', { ancestors: [known] }, { ancestors }, us)
    assert.deepEqual(write?.status.ancestors?.[0]?.conditions, [
      { ...wanted('Accepted', 'False'), lastTransitionTime: us.now },
      is('Attached'),
    ])
    assert.equal(mergeStatus('ProxyPolicy', write.status, { ancestors }, us), undefined)
  })

  await t.test('do not keep that a policy was not attached while it was invalid', () => {
    const known = {
      controllerName: us.controllerName,
      ancestorRef: { name: 'gw' },
      conditions: [is('Accepted'), { ...is('Attached'), status: 'False' as const }],
    }
    const ancestors = [{ ancestorRef: { name: 'gw' }, conditions: [wanted('Accepted', 'True')] }]
    const write = mergeStatus('ProxyPolicy', { ancestors: [known] }, { ancestors }, us)
    assert.deepEqual(
      write?.status.ancestors?.[0]?.conditions?.map(({ type, status }) => [type, status]),
      [['Accepted', 'True']],
    )
  })
})
