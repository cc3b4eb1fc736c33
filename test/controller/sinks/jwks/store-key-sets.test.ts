import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { of, Subject } from 'rxjs'
import {
  type KeySetItem,
  type KeySetOutcome,
  storeKeySets,
} from '../../../../src/controller/sinks/jwks/store-key-sets.ts'
import { silentLog } from '../../../../src/model/log/module-log.ts'
import { Queue } from '../../support/queue.ts'
import { startScriptedApi } from '../../support/scripted-api.ts'

const path = '/api/v1/namespaces/system/configmaps/keys'
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

const start = async (fetchedAt?: number, lookedAt?: Queue<string>) => {
  const stack = new AsyncDisposableStack()
  const api = stack.use(await startScriptedApi())
  const requests = new Queue<string>()
  const issuer = createServer((request, response) => {
    requests.push(request.url ?? '')
    response.end('{"keys":[]}')
  }).listen(0, '127.0.0.1')
  await once(issuer, 'listening')
  stack.defer(() => {
    issuer.closeAllConnections()
    issuer.close()
  })
  const items$ = new Subject<KeySetItem>()
  const outcomes = new Queue<KeySetOutcome['result']>()
  const subscription = items$
    .pipe(
      storeKeySets({
        client: api.client,
        fieldManager: 'us',
        namespace: 'system',
        isLeader$: of(true),
        fetchedAt: (name) => {
          lookedAt?.push(name)
          return fetchedAt
        },
        configMap: (name, stored) => ({
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { namespace: 'system', name },
          data: { stored: JSON.stringify(stored) },
        }),
        isAllowed: () => true,
        now: () => Date.parse('2026-01-01T00:00:00Z'),
        log: silentLog,
      }),
    )
    .subscribe(({ result }) => outcomes.push(result))
  stack.defer(() => {
    subscription.unsubscribe()
  })
  const url = `http://127.0.0.1:${(issuer.address() as AddressInfo).port}/keys`
  return { ...api, items$, outcomes, requests, url, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

test('a key set is fetched and kept in a ConfigMap, with its time', async () => {
  await using store = await start()
  store.items$.next({ name: 'keys', source: { url: store.url, refreshMs: HOUR_MS } })
  assert.equal(await store.requests.next(), '/keys')
  ;(await store.calls.next()).fail(404, 'NotFound')
  const call = await store.calls.next()
  assert.equal(`${call.method} ${call.path}`, `PATCH ${path}`)
  const { data } = JSON.parse(call.body) as { data: { stored: string } }
  assert.deepEqual(JSON.parse(data.stored), {
    url: store.url,
    fetchedAt: '2026-01-01T00:00:00.000Z',
    jwks: '{"keys":[]}',
  })
  call.json({})
  assert.equal(await store.outcomes.next(), 'fetched')
})

test('a key set that is fresh is not fetched again, whoever has fetched it', async () => {
  await using store = await start(Date.parse('2025-12-31T23:59:00Z'))
  store.items$.next({ name: 'keys', source: { url: store.url, refreshMs: HOUR_MS } })
  assert.equal(await store.outcomes.next(), 'fresh')
})

test('a key set that is old is fetched again', async () => {
  await using store = await start(Date.parse('2025-12-31T22:59:00Z'))
  store.items$.next({ name: 'keys', source: { url: store.url, refreshMs: HOUR_MS } })
  assert.equal(await store.requests.next(), '/keys')
})

test('a fetch that fails is reported, and leaves the ConfigMap as it is', async () => {
  await using store = await start()
  store.items$.next({ name: 'keys', source: { url: 'http://127.0.0.1:1/keys', refreshMs: HOUR_MS } })
  assert.equal(await store.outcomes.next(), 'failed')
})

test('a key set that nothing refers to is deleted; that it is gone already is no failure', async () => {
  await using store = await start()
  store.items$.next({ name: 'keys', source: undefined })
  const call = await store.calls.next()
  assert.equal(`${call.method} ${call.path}`, `DELETE ${path}`)
  call.fail(404, 'NotFound')
  assert.equal(await store.outcomes.next(), 'deleted')
})

test('a key set that is fetched less often than timers can be long is not looked at all the time', async () => {
  const lookedAt = new Queue<string>()
  await using store = await start(Date.parse('2025-12-31T23:59:00Z'), lookedAt)
  store.items$.next({ name: 'seldom', source: { url: store.url, refreshMs: 60 * DAY_MS } })
  store.items$.next({ name: 'often', source: { url: store.url, refreshMs: 60_010 } })
  assert.deepEqual(await lookedAt.take(4), ['seldom', 'often', 'often', 'often'])
})

test('a key set that was fetched in the future is fetched as often as any other', async () => {
  await using store = await start(Date.parse('2027-01-01T00:00:00Z'))
  store.items$.next({ name: 'keys', source: { url: store.url, refreshMs: HOUR_MS } })
  assert.equal(await store.requests.next(), '/keys')
})
