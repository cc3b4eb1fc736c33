import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EMPTY, of, Subject } from 'rxjs'
import { type HeldClass, holdClasses, type HoldOutcome } from '../../../src/controller/sinks/hold-classes.ts'
import { silentLog } from '../../../src/model/log/module-log.ts'
import { gatewayObject } from '../support/objects.ts'
import { Queue } from '../support/queue.ts'
import { startScriptedApi } from '../support/scripted-api.ts'

const FINALIZER = 'gateway-exists-finalizer.gateway.networking.k8s.io'
const path = '/apis/gateway.networking.k8s.io/v1/gatewayclasses/agentgateway'

const startHolding = async (metadata: { finalizers?: readonly string[]; deletionTimestamp?: string }) => {
  const api = await startScriptedApi()
  const classes$ = new Subject<HeldClass>()
  const outcomes = new Queue<HoldOutcome['result']>()
  const subscription = classes$
    .pipe(
      holdClasses({
        client: api.client,
        fieldManager: 'us',
        isLeader$: of(true),
        again$: EMPTY,
        current: (name) => ({
          apiVersion: 'gateway.networking.k8s.io/v1',
          kind: 'GatewayClass',
          metadata: { name, uid: 'u', resourceVersion: '7', ...metadata },
          spec: { controllerName: 'us' },
        }),
        log: silentLog,
      }),
    )
    .subscribe(({ result }) => outcomes.push(result))
  return {
    ...api,
    classes$,
    outcomes,
    [Symbol.asyncDispose]: async () => {
      subscription.unsubscribe()
      await api[Symbol.asyncDispose]()
    },
  }
}

test('a class that is used is held, by the version that was looked at', async () => {
  await using holding = await startHolding({ finalizers: ['other'] })
  holding.classes$.next({ key: 'agentgateway', isUsed: true })
  const call = await holding.calls.next()
  assert.equal(`${call.method} ${call.path}`, `PATCH ${path}`)
  assert.equal(call.headers['content-type'], 'application/merge-patch+json')
  assert.deepEqual(JSON.parse(call.body), {
    metadata: { uid: 'u', resourceVersion: '7', finalizers: ['other', FINALIZER] },
  })
  call.fail(409, 'Conflict')
  assert.equal(await holding.outcomes.next(), 'failed')
  ;(await holding.calls.next()).json({})
  assert.equal(await holding.outcomes.next(), 'held')
})

test('a class that is being deleted gets no finalizer, which the API server would refuse', async () => {
  await using holding = await startHolding({ deletionTimestamp: '2026-01-01T00:00:00Z' })
  holding.classes$.next({ key: 'agentgateway', isUsed: true })
  assert.equal(await holding.outcomes.next(), 'unchanged')
  assert.equal(holding.calls.size, 0)
})

test('a class that only Gateways use that are not seen here stays held', async () => {
  await using holding = await startHolding({ finalizers: [FINALIZER] })
  holding.classes$.next({ key: 'agentgateway', isUsed: false })
  ;(await holding.calls.next()).list([], '1', 'more')
  const second = await holding.calls.next()
  assert.equal(second.query.get('continue'), 'more')
  second.list([gatewayObject('hidden/a', '1')], '1')
  assert.equal(await holding.outcomes.next(), 'unchanged')
  holding.classes$.next({ key: 'agentgateway', isUsed: false })
  ;(await holding.calls.next()).list([], '1')
  const release = await holding.calls.next()
  assert.deepEqual(
    (JSON.parse(release.body) as { metadata: { finalizers: unknown } }).metadata.finalizers,
    [],
  )
  release.json({})
  assert.equal(await holding.outcomes.next(), 'released')
})
