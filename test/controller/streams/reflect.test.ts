import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Subject } from 'rxjs'
import type { ApiLimits } from '../../../src/controller/api/api-client.ts'
import type { ChangeOf } from '../../../src/controller/streams/change.ts'
import { reflect } from '../../../src/controller/streams/reflect.ts'
import { ReflectorRecords } from '../../../src/controller/streams/reflector-observer.ts'
import type { ReflectorOptions } from '../../../src/controller/streams/reflector-source.ts'
import { silentLog } from '../../../src/model/log/module-log.ts'
import { bookmark, gatewayObject } from '../support/objects.ts'
import { Queue } from '../support/queue.ts'
import { startScriptedApi } from '../support/scripted-api.ts'

const path = '/apis/gateway.networking.k8s.io/v1/gateways'

/** A reflector of Gateways against a scripted server. */
const reflectGateways = async ({
  limits,
  ...more
}: Partial<ReflectorOptions> & { readonly limits?: Partial<ApiLimits> } = {}) => {
  const api = await startScriptedApi(limits)
  const records = new ReflectorRecords()
  const changes = new Queue<ChangeOf<'Gateway'>>()
  const backoff = { firstMs: 5, maxMs: 20 }
  const options = { client: api.client, log: silentLog, observer: records, backoff, ...more }
  const subscription = reflect('Gateway', options).subscribe((change) => changes.push(change))
  return {
    ...api,
    records: () => records.all.get('Gateway'),
    changes,
    subscription,
    /** The next changes, as texts. */
    seen: async (count: number) => (await changes.take(count)).map(textOf),
    [Symbol.asyncDispose]: async () => {
      subscription.unsubscribe()
      await api[Symbol.asyncDispose]()
    },
  }
}

const textOf = (change: ChangeOf<'Gateway'>): string =>
  change.type === 'synced'
    ? 'synced'
    : `${change.type} ${change.key}@${change.object.metadata.resourceVersion ?? ''}`

test('lists in pages, then watches from the version of the list', async () => {
  await using gateways = await reflectGateways()
  const first = await gateways.calls.next()
  assert.equal(first.path, path)
  assert.deepEqual(Object.fromEntries(first.query), { limit: '500' })
  assert.equal(first.headers.authorization, 'Bearer the-token')
  first.list([gatewayObject('ns/a', '5')], '10', 'more')
  const second = await gateways.calls.next()
  assert.deepEqual(Object.fromEntries(second.query), { limit: '500', continue: 'more' })
  second.list([gatewayObject('ns/b', '6')], '10')
  const watch = await gateways.calls.next()
  const { timeoutSeconds, ...query } = Object.fromEntries(watch.query)
  assert.deepEqual(query, { resourceVersion: '10', allowWatchBookmarks: 'true', watch: 'true' })
  assert.ok(Number(timeoutSeconds) >= 300 && Number(timeoutSeconds) <= 600)
  watch.event('MODIFIED', gatewayObject('ns/a', '11'))
  watch.event('DELETED', gatewayObject('ns/b', '12'))
  watch.event('ADDED', gatewayObject('ns/c', '13'))
  assert.deepEqual(await gateways.seen(6), [
    'set ns/a@5',
    'set ns/b@6',
    'synced',
    'set ns/a@11',
    'deleted ns/b@6',
    'set ns/c@13',
  ])
})

test('makes objects whole, and leaves managed fields out', async () => {
  await using gateways = await reflectGateways()
  const { apiVersion: _apiVersion, kind: _kind, ...item } = gatewayObject('ns/a', '5')
  const metadata = { ...item.metadata, managedFields: [{ manager: 'kubectl' }] }
  ;(await gateways.calls.next()).list([{ ...item, metadata }], '10')
  const change = await gateways.changes.next()
  assert.deepEqual(change.type === 'set' && change.object, gatewayObject('ns/a', '5'))
})

test('goes on from the last event or bookmark when the watch is cut', async () => {
  await using gateways = await reflectGateways()
  ;(await gateways.calls.next()).list([], '10')
  const first = await gateways.calls.next()
  first.event('ADDED', gatewayObject('ns/a', '11'))
  await gateways.seen(2)
  first.cut()
  const second = await gateways.calls.next()
  assert.equal(second.query.get('resourceVersion'), '11')
  second.event('BOOKMARK', bookmark('20'))
  second.end()
  const third = await gateways.calls.next()
  assert.equal(third.query.get('resourceVersion'), '20')
  assert.ok(third.isWatch)
  assert.equal(gateways.changes.size, 0)
  assert.equal(gateways.records()?.restarts, 1)
})

test('lists again when the history has expired, and emits only what differs', async () => {
  await using gateways = await reflectGateways()
  const kept = gatewayObject('ns/kept', '1')
  ;(await gateways.calls.next()).list(
    [kept, gatewayObject('ns/gone', '2'), gatewayObject('ns/old', '3')],
    '10',
  )
  assert.equal((await gateways.seen(4)).at(-1), 'synced')
  const watch = await gateways.calls.next()
  watch.event('ERROR', { kind: 'Status', code: 410, reason: 'Expired', message: 'too old' })
  const relist = await gateways.calls.next()
  assert.ok(!relist.isWatch)
  relist.list([kept, gatewayObject('ns/old', '15'), gatewayObject('ns/new', '16')], '20')
  assert.equal((await gateways.calls.next()).query.get('resourceVersion'), '20')
  assert.deepEqual(await gateways.seen(3), ['deleted ns/gone@2', 'set ns/old@15', 'set ns/new@16'])
  assert.equal(gateways.changes.size, 0)
})

test('lists again when a watch is refused as expired, or a page is', async () => {
  await using gateways = await reflectGateways()
  ;(await gateways.calls.next()).list([], '10')
  ;(await gateways.calls.next()).fail(410, 'Gone')
  ;(await gateways.calls.next()).list([gatewayObject('ns/a', '1')], '20', 'more')
  ;(await gateways.calls.next()).fail(410, 'Expired')
  const whole = await gateways.calls.next()
  assert.equal(whole.query.get('continue'), null)
  whole.list([gatewayObject('ns/b', '1')], '30')
  assert.deepEqual(await gateways.seen(2), ['synced', 'set ns/b@1'])
})

test('reads events that come in single bytes, also within characters', async () => {
  await using gateways = await reflectGateways()
  ;(await gateways.calls.next()).list([], '10')
  const watch = await gateways.calls.next()
  const object = gatewayObject('ns/a', '11', { annotations: { text: 'ä€😀' } })
  for (const byte of Buffer.from(`${JSON.stringify({ type: 'ADDED', object })}\r\n\n`))
    watch.write(Buffer.of(byte))
  await gateways.seen(1)
  const change = await gateways.changes.next()
  assert.equal(change.type === 'set' && change.object.metadata.annotations?.text, 'ä€😀')
})

test('lists again after an event that it cannot read', async (t) => {
  const unreadable = {
    'not JSON': '{"type":"ADDED",\n',
    'no object': '{"type":"ADDED"}\n',
    'unknown type': '{"type":"MOVED","object":{"metadata":{"resourceVersion":"12"}}}\n',
    'too long': `{"type":"ADDED","object":"${'x'.repeat(5_000)}"}\n`,
    'too long and without an end': 'x'.repeat(5_000),
  }
  for (const [name, text] of Object.entries(unreadable))
    await t.test(name, async () => {
      await using gateways = await reflectGateways({ limits: { eventBytes: 4_096 } })
      ;(await gateways.calls.next()).list([], '10')
      const watch = await gateways.calls.next()
      watch.write(text)
      await watch.closed
      const relist = await gateways.calls.next()
      assert.ok(!relist.isWatch)
      relist.list([gatewayObject('ns/a', '12')], '12')
      assert.deepEqual(await gateways.seen(2), ['synced', 'set ns/a@12'])
    })
})

test('drops an incomplete event when the watch ends, and goes on before it', async () => {
  await using gateways = await reflectGateways()
  ;(await gateways.calls.next()).list([], '10')
  const watch = await gateways.calls.next()
  watch.event('BOOKMARK', bookmark('11'))
  watch.write(JSON.stringify({ type: 'ADDED', object: gatewayObject('ns/a', '12') }).slice(0, -1))
  watch.end()
  const next = await gateways.calls.next()
  assert.equal(next.query.get('resourceVersion'), '11')
})

test('takes smaller pages when a page is too large', async () => {
  await using gateways = await reflectGateways({ limits: { responseBytes: 2_000 } })
  ;(await gateways.calls.next()).list(
    [gatewayObject('ns/a', '1', { annotations: { a: 'x'.repeat(2_000) } })],
    '9',
  )
  const smaller = await gateways.calls.next()
  assert.equal(smaller.query.get('limit'), '50')
  smaller.list([gatewayObject('ns/b', '1')], '10')
  assert.deepEqual(await gateways.seen(2), ['set ns/b@1', 'synced'])
})

test('abandons a watch that is silent for too long', async () => {
  const failures = new Queue<string>()
  await using gateways = await reflectGateways({
    silenceMs: 50,
    observer: {
      onList: () => undefined,
      onWatchEvent: () => undefined,
      onRestart: (_kind, { reason }) => failures.push(reason),
    },
  })
  ;(await gateways.calls.next()).list([], '10')
  const silent = await gateways.calls.next()
  await silent.closed
  assert.equal((await gateways.calls.next()).query.get('resourceVersion'), '10')
  assert.equal(await failures.next(), 'Timeout')
})

test('waits longer from failure to failure, and as long as the server asks', async () => {
  const delays: number[] = []
  const reached = new Queue<number>()
  await using gateways = await reflectGateways({
    backoff: { firstMs: 8, maxMs: 32 },
    observer: {
      onList: () => undefined,
      onWatchEvent: () => undefined,
      onRestart: (_kind, _failure, delayMs) => {
        delays.push(delayMs)
        reached.push(delays.length)
      },
    },
  })
  for (let attempt = 0; attempt < 5; attempt++) (await gateways.calls.next()).fail(500, 'InternalError')
  ;(await gateways.calls.next()).fail(429, 'TooManyRequests', 'later', { 'retry-after': '1' })
  await reached.take(6)
  const full = [8, 16, 32, 32, 32]
  full.forEach((ms, at) => assert.ok((delays[at] ?? 0) >= ms / 2 && (delays[at] ?? 0) <= ms, delays.join()))
  assert.equal(delays[5], 1_000)
})

test('watches again within seconds, however long the server was away, but does not list again so soon', async () => {
  const delays = new Queue<number>()
  const observer = {
    onList: () => undefined,
    onWatchEvent: () => undefined,
    onRestart: (_kind: string, _failure: unknown, delayMs: number) => delays.push(delayMs),
  }
  const backoff = { firstMs: 60_000, maxMs: 60_000 }
  await using watching = await reflectGateways({ observer, backoff })
  ;(await watching.calls.next()).list([], '10')
  ;(await watching.calls.next()).fail(503, 'ServiceUnavailable')
  const watchDelayMs = await delays.next()
  assert.ok(watchDelayMs <= 4_000, String(watchDelayMs))
  await using listing = await reflectGateways({ observer, backoff })
  ;(await listing.calls.next()).fail(503, 'ServiceUnavailable')
  const listDelayMs = await delays.next()
  assert.ok(listDelayMs >= 30_000, String(listDelayMs))
})

test('does not list again and again when the history expires at once', async () => {
  const delays: number[] = []
  const observer = {
    onList: () => undefined,
    onWatchEvent: () => undefined,
    onRestart: (_kind: string, _failure: unknown, delayMs: number) => delays.push(delayMs),
  }
  await using gateways = await reflectGateways({ observer, backoff: { firstMs: 4, maxMs: 60_000 } })
  for (let round = 0; round < 4; round++) {
    ;(await gateways.calls.next()).list([], '10')
    ;(await gateways.calls.next()).fail(410, 'Expired')
  }
  ;(await gateways.calls.next()).list([], '10')
  const least = [2, 4, 8, 16]
  assert.ok(
    least.every((ms, at) => (delays[at] ?? 0) >= ms),
    delays.join(),
  )
})

test('reports a missing permission, and tries on', async () => {
  const messages = new Queue<unknown>()
  const log = {
    ...silentLog,
    warn: (message: string, fields?: object) => messages.push({ message, ...fields }),
  }
  await using gateways = await reflectGateways({ log })
  ;(await gateways.calls.next()).fail(403, 'Forbidden', 'gateways is forbidden')
  const { delay_ms: _delayMs, ...logged } = (await messages.next()) as Record<string, unknown>
  assert.deepEqual(logged, {
    message: 'a kind cannot be listed or watched',
    kind: 'Gateway',
    status: 403,
    reason: 'Forbidden',
    error: 'gateways is forbidden',
  })
  ;(await gateways.calls.next()).fail(403, 'Forbidden')
  ;(await gateways.calls.next()).list([], '10')
  assert.deepEqual(await gateways.seen(1), ['synced'])
  assert.equal(messages.size, 0)
})

test('a kind that is not installed has no objects, until its definition comes, and none when it goes', async () => {
  const definitions$ = new Subject<void>()
  await using gateways = await reflectGateways({ definitions$, backoff: { firstMs: 60_000, maxMs: 60_000 } })
  const absent = await gateways.calls.next()
  absent.fail(404, 'NotFound')
  assert.deepEqual(await gateways.seen(1), ['synced'])
  definitions$.next()
  ;(await gateways.calls.next()).list([gatewayObject('ns/a', '1')], '10')
  assert.deepEqual(await gateways.seen(1), ['set ns/a@1'])
  ;(await gateways.calls.next()).fail(404, 'NotFound')
  assert.deepEqual(await gateways.seen(1), ['deleted ns/a@1'])
})

test('reads metadata alone where nothing else is needed', async () => {
  const api = await startScriptedApi()
  const options = { client: api.client, log: silentLog, observer: new ReflectorRecords() }
  const changes = new Queue<ChangeOf<'Node'>>()
  const subscription = reflect('Node', options).subscribe((change) => changes.push(change))
  const list = await api.calls.next()
  assert.equal(list.headers.accept, 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1')
  const metadata = { name: 'n1', resourceVersion: '1' }
  list.list([{ kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata }], '10')
  const change = await changes.next()
  assert.deepEqual(change.type === 'set' && change.object, { kind: 'Node', apiVersion: 'v1', metadata })
  const watch = await api.calls.next()
  assert.equal(watch.headers.accept, 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1')
  subscription.unsubscribe()
  await api[Symbol.asyncDispose]()
})

test('neither lists nor watches Secrets of Helm and of service accounts', async () => {
  const api = await startScriptedApi()
  const options = { client: api.client, log: silentLog, observer: new ReflectorRecords() }
  const subscription = reflect('Secret', options).subscribe()
  const list = await api.calls.next()
  const selector = 'type!=helm.sh/release.v1,type!=kubernetes.io/service-account-token'
  assert.equal(list.query.get('fieldSelector'), selector)
  list.list([], '10')
  const watch = await api.calls.next()
  assert.equal(watch.query.get('watch'), 'true')
  assert.equal(watch.query.get('fieldSelector'), selector)
  subscription.unsubscribe()
  await api[Symbol.asyncDispose]()
})

test('unsubscribing ends the watch', async () => {
  await using gateways = await reflectGateways()
  ;(await gateways.calls.next()).list([], '10')
  const watch = await gateways.calls.next()
  watch.event('BOOKMARK', bookmark('11'))
  gateways.subscription.unsubscribe()
  await watch.closed
})
