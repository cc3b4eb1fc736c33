import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { BehaviorSubject, Subject } from 'rxjs'
import {
  type StatusOutcome,
  type StatusUpdate,
  type StatusWriterOptions,
  writeStatuses,
} from '../../../src/controller/sinks/status/write-statuses.ts'
import { silentLog } from '../../../src/model/log/module-log.ts'
import { Queue } from '../support/queue.ts'
import { type ApiCall, startScriptedApi } from '../support/scripted-api.ts'

const controllerName = 'agentgateway.dev/agentgateway'
const condition = (reason: string) => ({ type: 'Accepted', status: 'True' as const, reason, message: '' })
const gatewayUpdate = (name: string, reason: string): StatusUpdate => ({
  kind: 'Gateway',
  key: `ns/${name}`,
  status: { conditions: [condition(reason)] },
})
const routeUpdate: StatusUpdate = {
  kind: 'HTTPRoute',
  key: 'ns/r',
  status: { parents: [{ parentRef: { name: 'gw' }, conditions: [condition('Accepted')] }] },
}
const route = (resourceVersion: string, parents: readonly object[] = [], uid = 'u') => ({
  apiVersion: 'gateway.networking.k8s.io/v1',
  kind: 'HTTPRoute',
  metadata: { namespace: 'ns', name: 'r', uid, resourceVersion },
  status: { parents },
})
const other = { controllerName: 'example.com/other', parentRef: { name: 'x' }, conditions: [] }

const startWriter = async (more: Partial<StatusWriterOptions> = {}, isLeader = true) => {
  const api = await startScriptedApi()
  const updates$ = new Subject<StatusUpdate>()
  const isLeader$ = new BehaviorSubject(isLeader)
  const outcomes = new Queue<StatusOutcome>()
  const subscription = updates$
    .pipe(
      writeStatuses({
        client: api.client,
        current: (kind, key) => {
          const [namespace = '', name = ''] = key.split('/')
          const metadata = { namespace, name, uid: 'u', resourceVersion: '7' }
          return { apiVersion: 'gateway.networking.k8s.io/v1', kind, metadata }
        },
        controllerName,
        isLeader$,
        log: silentLog,
        now: () => new Date('2026-01-02T03:04:05.678Z'),
        ...more,
      }),
    )
    .subscribe((outcome) => outcomes.push(outcome))
  return {
    ...api,
    updates$,
    isLeader$,
    outcomes,
    subscription,
    [Symbol.asyncDispose]: async () => {
      subscription.unsubscribe()
      await api[Symbol.asyncDispose]()
    },
  }
}

const reasonIn = (call: ApiCall): string =>
  (JSON.parse(call.body) as { status: { conditions: { reason: string }[] } }).status.conditions[0]?.reason ??
  ''

test('applies our part of a status on the server', async () => {
  await using writer = await startWriter()
  writer.updates$.next(gatewayUpdate('a', 'Accepted'))
  const call = await writer.calls.next()
  assert.equal(call.method, 'PATCH')
  assert.equal(call.path, '/apis/gateway.networking.k8s.io/v1/namespaces/ns/gateways/a/status')
  assert.deepEqual(Object.fromEntries(call.query), { fieldManager: controllerName, force: 'true' })
  assert.equal(call.headers['content-type'], 'application/apply-patch+yaml')
  assert.deepEqual(JSON.parse(call.body), {
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'Gateway',
    metadata: { namespace: 'ns', name: 'a', uid: 'u' },
    status: { conditions: [{ ...condition('Accepted'), lastTransitionTime: '2026-01-02T03:04:05Z' }] },
  })
  call.json({})
  assert.deepEqual(await writer.outcomes.next(), { kind: 'Gateway', key: 'ns/a', result: 'written' })
})

test('writes the latest update of an object, and one at a time', async () => {
  await using writer = await startWriter()
  writer.updates$.next(gatewayUpdate('a', 'First'))
  const first = await writer.calls.next()
  writer.updates$.next(gatewayUpdate('a', 'Second'))
  writer.updates$.next(gatewayUpdate('a', 'Third'))
  writer.updates$.next(gatewayUpdate('b', 'Other'))
  const parallel = await writer.calls.next()
  assert.equal(reasonIn(parallel), 'Other')
  assert.equal(writer.calls.size, 0)
  first.json({})
  assert.equal(reasonIn(await writer.calls.next()), 'Third')
})

test('writes only so many at once', async () => {
  await using writer = await startWriter({ concurrency: 1 })
  writer.updates$.next(gatewayUpdate('a', 'A'))
  writer.updates$.next(gatewayUpdate('b', 'B'))
  const first = await writer.calls.next()
  assert.equal(writer.calls.size, 0)
  first.json({})
  assert.equal(reasonIn(await writer.calls.next()), 'B')
})

test('merges again with what another controller wrote meanwhile', async () => {
  await using writer = await startWriter({ current: () => route('7') })
  writer.updates$.next(routeUpdate)
  const first = await writer.calls.next()
  assert.equal(
    (JSON.parse(first.body) as typeof first & ReturnType<typeof route>).metadata.resourceVersion,
    '7',
  )
  first.fail(409, 'Conflict')
  const read = await writer.calls.next()
  assert.equal(
    `${read.method} ${read.path}`,
    'GET /apis/gateway.networking.k8s.io/v1/namespaces/ns/httproutes/r',
  )
  read.json(route('8', [other]))
  const second = await writer.calls.next()
  const { metadata, status } = JSON.parse(second.body) as ReturnType<typeof route>
  assert.equal(metadata.resourceVersion, '8')
  assert.deepEqual(status.parents[0], other)
  assert.equal(status.parents.length, 2)
  second.json({})
  assert.equal((await writer.outcomes.next()).result, 'written')
})

test('writes nothing to another object of the same name, nor to one that is gone', async () => {
  await using writer = await startWriter({ current: () => route('7') })
  writer.updates$.next(routeUpdate)
  ;(await writer.calls.next()).fail(409, 'Conflict')
  ;(await writer.calls.next()).json(route('8', [], 'another'))
  assert.equal((await writer.outcomes.next()).result, 'gone')
  writer.updates$.next(routeUpdate)
  ;(await writer.calls.next()).fail(404, 'NotFound')
  assert.equal((await writer.outcomes.next()).result, 'gone')
})

test('tries again after a failure, or with what came meanwhile', async () => {
  await using writer = await startWriter()
  writer.updates$.next(gatewayUpdate('a', 'First'))
  ;(await writer.calls.next()).fail(500, 'InternalError', 'etcd is away')
  const { result, failure } = await writer.outcomes.next()
  assert.deepEqual([result, failure?.status, failure?.message], ['failed', 500, 'etcd is away'])
  assert.equal(reasonIn(await writer.calls.next()), 'First')
})

test('writes while it is the leader only, and everything when it becomes the leader', async () => {
  await using writer = await startWriter({}, false)
  writer.updates$.next(gatewayUpdate('a', 'Old'))
  writer.updates$.next(gatewayUpdate('a', 'New'))
  writer.isLeader$.next(true)
  const call = await writer.calls.next()
  assert.equal(reasonIn(call), 'New')
  writer.isLeader$.next(false)
  await call.closed
  writer.updates$.next(gatewayUpdate('b', 'B'))
  writer.isLeader$.next(true)
  const both = [reasonIn(await writer.calls.next()), reasonIn(await writer.calls.next())]
  assert.deepEqual(both.sort(), ['B', 'New'])
  assert.equal(writer.outcomes.size, 0)
})

test('restores what others removed', async () => {
  const changes$ = new Subject<{ readonly kind: 'HTTPRoute'; readonly key: string }>()
  const ours = { controllerName, parentRef: { name: 'gw' }, conditions: [] as object[] }
  let parents: readonly object[] = []
  await using writer = await startWriter({ current: () => route('7', parents), changes$ })
  writer.updates$.next(routeUpdate)
  const call = await writer.calls.next()
  parents = (JSON.parse(call.body) as ReturnType<typeof route>).status.parents
  call.json({})
  changes$.next({ kind: 'HTTPRoute', key: 'ns/r' })
  assert.equal((await writer.outcomes.next()).result, 'written')
  assert.equal((await writer.outcomes.next()).result, 'unchanged')
  parents = [ours].slice(1)
  changes$.next({ kind: 'HTTPRoute', key: 'ns/r' })
  ;(await writer.calls.next()).json({})
})

test('ends a quarrel with somebody who changes it back each time', async () => {
  const changes$ = new Subject<{ readonly kind: 'HTTPRoute'; readonly key: string }>()
  await using writer = await startWriter({ current: () => route('7'), changes$ })
  writer.updates$.next(routeUpdate)
  for (let write = 0; write < 10; write++) {
    ;(await writer.calls.next()).json({})
    assert.equal((await writer.outcomes.next()).result, 'written')
    changes$.next({ kind: 'HTTPRoute', key: 'ns/r' })
  }
  assert.equal((await writer.outcomes.next()).failure?.reason, 'Contended')
  changes$.next({ kind: 'HTTPRoute', key: 'ns/r' })
  // Something new to say is said, before it is the turn of what was said too often.
  writer.updates$.next({ ...routeUpdate, status: { parents: [] } })
  assert.equal((await writer.outcomes.next()).result, 'unchanged')
  writer.updates$.next({ ...routeUpdate })
  ;(await writer.calls.next()).json({})
  assert.equal((await writer.outcomes.next()).result, 'written')
  assert.equal(writer.calls.size, 0)
})

test('leaves a server alone that is busy, for as long as it says, and goes on then', async () => {
  await using writer = await startWriter()
  writer.updates$.next(gatewayUpdate('a', 'Accepted'))
  const refusedAt = performance.now()
  ;(await writer.calls.next()).fail(429, 'TooManyRequests', 'busy', { 'retry-after': '1' })
  const second = await writer.calls.next()
  // Timers of Node may be over a little early.
  assert.ok(performance.now() - refusedAt >= 990)
  second.cut()
  assert.deepEqual(
    [(await writer.outcomes.next()).failure?.status, (await writer.outcomes.next()).failure?.status],
    [429, 0],
  )
  ;(await writer.calls.next()).json({})
  assert.equal((await writer.outcomes.next()).result, 'written')
})

test('gives up what it applied to an object that has become another controller’s', async () => {
  const statusManagers = ['example.com/other', controllerName]
  const metadata = { namespace: 'ns', name: 'a', uid: 'u', resourceVersion: '7' }
  const apiVersion = 'gateway.networking.k8s.io/v1'
  const released: StatusUpdate = { kind: 'Gateway', key: 'ns/a', status: undefined }
  const ours = { apiVersion, kind: 'Gateway', metadata: { ...metadata, statusManagers } }
  await using writer = await startWriter({ current: () => ours })
  writer.updates$.next(released)
  const call = await writer.calls.next()
  assert.equal(`${call.method} ${call.path}`, `PATCH /apis/${apiVersion}/namespaces/ns/gateways/a/status`)
  assert.deepEqual(JSON.parse(call.body), {
    apiVersion,
    kind: 'Gateway',
    metadata: { namespace: 'ns', name: 'a', uid: 'u' },
  })
  call.json({})
  assert.equal((await writer.outcomes.next()).result, 'written')
  await using other = await startWriter({ current: () => ({ apiVersion, kind: 'Gateway', metadata }) })
  other.updates$.next(released)
  assert.equal((await other.outcomes.next()).result, 'unchanged')
})

test('compares thousands of statuses without a request', async () => {
  const status = { conditions: [{ ...condition('Accepted'), lastTransitionTime: '2026-01-01T00:00:00Z' }] }
  const metadata = { namespace: 'ns', name: 'a', resourceVersion: '1' }
  const current = () => ({ apiVersion: 'v1', kind: 'Gateway', metadata, status })
  await using writer = await startWriter({ current }, false)
  for (let at = 0; at < 20_000; at++) writer.updates$.next(gatewayUpdate(`g${at}`, 'Accepted'))
  writer.isLeader$.next(true)
  while (writer.outcomes.size < 20_000) await setImmediate()
  assert.equal(writer.outcomes.size, 20_000)
})
