import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Subject } from 'rxjs'
import { leadership } from '../../../src/controller/streams/leadership.ts'
import type { LeaseTimes } from '../../../src/controller/streams/election.ts'
import type { ElectionLease } from '../../../src/controller/streams/election-lease.ts'
import { silentLog } from '../../../src/model/log/module-log.ts'
import { Queue } from '../support/queue.ts'
import { type ApiCall, startScriptedApi } from '../support/scripted-api.ts'

const path = '/apis/coordination.k8s.io/v1/namespaces/system/leases'

const startElection = async (more: Partial<LeaseTimes> = {}) => {
  const times = { leaseSeconds: 1, renewMs: 30_000, retryMs: 20, ...more }
  const api = await startScriptedApi()
  const stop$ = new Subject<void>()
  const states = new Queue<boolean | 'completed'>()
  const subscription = leadership({
    client: api.client,
    namespace: 'system',
    name: 'agentgateway-agentgateway',
    identity: 'me',
    stop$,
    log: silentLog,
    times,
  }).subscribe({ next: (isLeader) => states.push(isLeader), complete: () => states.push('completed') })
  return {
    ...api,
    stop$,
    states,
    subscription,
    [Symbol.asyncDispose]: async () => {
      subscription.unsubscribe()
      await api[Symbol.asyncDispose]()
    },
  }
}

const lease = (resourceVersion: string, spec: ElectionLease['spec'] = {}): ElectionLease => ({
  metadata: { namespace: 'system', name: 'agentgateway-agentgateway', resourceVersion },
  spec,
})
const written = (call: ApiCall): ElectionLease => JSON.parse(call.body) as ElectionLease

test('takes a lease that does not exist', async () => {
  await using election = await startElection()
  assert.equal(await election.states.next(), false)
  const read = await election.calls.next()
  assert.equal(`${read.method} ${read.path}`, `GET ${path}/agentgateway-agentgateway`)
  read.fail(404, 'NotFound')
  const create = await election.calls.next()
  assert.equal(`${create.method} ${create.path}`, `POST ${path}`)
  const { spec, metadata } = written(create)
  assert.equal(metadata.resourceVersion, undefined)
  assert.deepEqual([spec?.holderIdentity, spec?.leaseDurationSeconds, spec?.leaseTransitions], ['me', 1, 0])
  assert.match(spec?.renewTime ?? '', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
  create.json(lease('1', spec))
  assert.equal(await election.states.next(), true)
})

test('renews its lease by the version that it read', async () => {
  await using election = await startElection()
  ;(await election.calls.next()).json(lease('5', { holderIdentity: '', leaseTransitions: 3 }))
  const take = await election.calls.next()
  assert.equal(`${take.method} ${take.path}`, `PUT ${path}/agentgateway-agentgateway`)
  assert.equal(written(take).metadata.resourceVersion, '5')
  assert.equal(written(take).spec?.leaseTransitions, 4)
  take.json({})
  ;(await election.calls.next()).json(lease('6', written(take).spec))
  const renew = await election.calls.next()
  assert.equal(written(renew).metadata.resourceVersion, '6')
  assert.equal(written(renew).spec?.leaseTransitions, 4)
  assert.equal(written(renew).spec?.acquireTime, written(take).spec?.acquireTime)
  renew.json({})
  assert.deepEqual(await election.states.take(2), [false, true])
  assert.equal(election.states.size, 0)
})

test('is not the leader when another replica was first', async () => {
  await using election = await startElection()
  ;(await election.calls.next()).json(lease('5'))
  ;(await election.calls.next()).fail(409, 'Conflict')
  ;(await election.calls.next()).json(lease('6', { holderIdentity: 'other', leaseDurationSeconds: 60 }))
  ;(await election.calls.next()).json(lease('6', { holderIdentity: 'other', leaseDurationSeconds: 60 }))
  assert.equal(await election.states.next(), false)
  assert.equal(election.states.size, 0)
})

test('takes a lease only when it saw no renewal for its duration, whatever the times in it are', async () => {
  await using election = await startElection()
  const startedAt = performance.now()
  const spec = { holderIdentity: 'other', leaseDurationSeconds: 1, renewTime: '2001-01-01T00:00:00.000000Z' }
  let renewedAt = startedAt
  for (let version = 1; ; version++) {
    const call = await election.calls.next()
    if (call.method === 'PUT') {
      assert.ok(performance.now() - renewedAt >= 1_000)
      assert.equal(written(call).spec?.leaseTransitions, 1)
      call.json({})
      break
    }
    // Renewed ten times, and then no more.
    if (version <= 10) renewedAt = performance.now()
    call.json(lease('1', { ...spec, renewTime: `${Math.min(version, 10)}` }))
  }
  assert.deepEqual(await election.states.take(2), [false, true])
})

test('is no leader any more when it cannot renew in time', async (t) => {
  const take = async (election: Awaited<ReturnType<typeof startElection>>) => {
    ;(await election.calls.next()).json(lease('1'))
    ;(await election.calls.next()).json({})
    assert.deepEqual(await election.states.take(2), [false, true])
  }
  await t.test('because requests fail', async () => {
    await using election = await startElection({ renewMs: 3_000 })
    await take(election)
    const startedAt = performance.now()
    const end = new AbortController()
    const lost = election.states.next().finally(() => end.abort())
    const failing = (async () => {
      while (!end.signal.aborted) (await election.calls.next()).fail(500, 'InternalError')
    })()
    assert.equal(await lost, false)
    assert.ok(performance.now() - startedAt < 20_000)
    await failing
  })
  await t.test('because a request hangs', async () => {
    await using election = await startElection({ renewMs: 3_000 })
    await take(election)
    await election.calls.next()
    assert.equal(await election.states.next(), false)
  })
  await t.test('because another replica has the lease', async () => {
    await using election = await startElection()
    await take(election)
    ;(await election.calls.next()).json(lease('2', { holderIdentity: 'other', leaseDurationSeconds: 60 }))
    assert.equal(await election.states.next(), false)
  })
})

test('is not the leader before it releases the lease, and ends then', async () => {
  await using election = await startElection({ retryMs: 10_000 })
  ;(await election.calls.next()).json(lease('1'))
  const take = await election.calls.next()
  take.json({})
  assert.deepEqual(await election.states.take(2), [false, true])
  election.stop$.next()
  assert.equal(await election.states.next(), false)
  ;(await election.calls.next()).json(lease('2', written(take).spec))
  const release = await election.calls.next()
  assert.equal(written(release).spec?.holderIdentity, '')
  assert.equal(written(release).metadata.resourceVersion, '2')
  assert.equal(election.states.size, 0)
  release.json({})
  assert.equal(await election.states.next(), 'completed')
})

test('releases nothing that it does not have', async () => {
  await using election = await startElection()
  const read = await election.calls.next()
  election.stop$.next()
  assert.deepEqual(await election.states.take(2), [false, 'completed'])
  await read.closed
})
