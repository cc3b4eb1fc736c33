import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { silentLog } from '../../../src/model/log/module-log.ts'
import { type Election, openElection } from '../../../src/controller/leadership/election.ts'
import type { Lease } from '../../../src/controller/leadership/lease.ts'
import { Queue } from '../support/queue.ts'
import { type ApiCall, startScriptedApi } from '../support/scripted-api.ts'

const times = { leaseSeconds: 1, renewDeadlineMs: 600, retryMs: 50 }

/** An API server with one lease. */
class LeaseStore {
  lease: Lease | undefined = undefined
  isDown = false
  #version = 0

  respond(call: ApiCall): void {
    if (this.isDown) {
      call.fail(503, 'ServiceUnavailable')
      return
    }
    if (call.method === 'GET') {
      if (this.lease) call.json(this.lease)
      else call.fail(404, 'NotFound')
      return
    }
    const written = JSON.parse(call.body) as Lease
    const isConflict =
      call.method === 'POST'
        ? this.lease !== undefined
        : written.metadata.resourceVersion !== this.lease?.metadata.resourceVersion
    if (isConflict) {
      call.fail(409, 'Conflict')
      return
    }
    this.#version += 1
    this.lease = { ...written, metadata: { ...written.metadata, resourceVersion: String(this.#version) } }
    call.json(this.lease)
  }
}

const startReplicas = async (t: TestContext) => {
  const api = await startScriptedApi()
  const store = new LeaseStore()
  const respondToNext = (): void => {
    void api.calls.next().then((call) => {
      store.respond(call)
      respondToNext()
    })
  }
  respondToNext()
  const elections: Election[] = []
  t.after(async () => {
    await Promise.all(elections.map((election) => election.close()))
    await api[Symbol.asyncDispose]()
  })
  const replica = (identity: string) => {
    const election = openElection({
      client: api.client,
      namespace: 'ns',
      name: 'lease',
      identity,
      log: silentLog,
      times,
    })
    const leads = new Queue<boolean>()
    const subscription = election.isLeader$.subscribe((isLeader) => leads.push(isLeader))
    elections.push(election)
    return { election, leads, subscription }
  }
  return { store, replica }
}

test('one replica leads, and the next one at once when it ends', async (t) => {
  const { store, replica } = await startReplicas(t)
  const a = replica('a')
  assert.equal(await a.leads.next(), true)
  const b = replica('b')
  assert.equal(await b.leads.next(), false)
  assert.equal(store.lease?.spec?.holderIdentity, 'a')
  assert.equal(store.lease.spec.leaseTransitions, 1)
  const began = performance.now()
  await a.election.close()
  assert.equal(await b.leads.next(), true)
  assert.ok(performance.now() - began < times.leaseSeconds * 1_000, 'it did not wait for the lease to expire')
  assert.equal(store.lease.spec.holderIdentity, 'b')
  assert.equal(store.lease.spec.leaseTransitions, 2)
})

test('a replica that vanishes is replaced when its lease has expired', async (t) => {
  const { replica } = await startReplicas(t)
  const a = replica('a')
  assert.equal(await a.leads.next(), true)
  const b = replica('b')
  assert.equal(await b.leads.next(), false)
  const began = performance.now()
  a.subscription.unsubscribe()
  assert.equal(await b.leads.next(), true)
  assert.ok(performance.now() - began > times.leaseSeconds * 900)
})

test('a leader that cannot renew stops leading before its lease expires, and leads again afterwards', async (t) => {
  const { store, replica } = await startReplicas(t)
  const a = replica('a')
  assert.equal(await a.leads.next(), true)
  store.isDown = true
  const began = performance.now()
  assert.equal(await a.leads.next(), false)
  assert.ok(performance.now() - began < times.leaseSeconds * 1_000)
  store.isDown = false
  assert.equal(await a.leads.next(), true)
})

test('of replicas that start together, one leads', async (t) => {
  const { store, replica } = await startReplicas(t)
  const replicas = ['a', 'b', 'c', 'd'].map(replica)
  const leads = await Promise.all(replicas.map((one) => one.leads.next()))
  assert.equal(leads.filter(Boolean).length, 1)
  assert.equal(store.lease?.spec?.holderIdentity, ['a', 'b', 'c', 'd'][leads.indexOf(true)])
})
