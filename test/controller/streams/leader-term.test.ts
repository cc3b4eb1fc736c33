import assert from 'node:assert/strict'
import { test } from 'node:test'
import { firstValueFrom, Subject } from 'rxjs'
import { ApiClient } from '../../../src/controller/api/api-client.ts'
import { asApiFailure } from '../../../src/controller/api/api-failure.ts'
import { ClusterAccess } from '../../../src/controller/api/cluster-access.ts'
import { LeaderTerm } from '../../../src/controller/streams/leader-term.ts'
import { leadership } from '../../../src/controller/streams/leadership.ts'
import { silentLog } from '../../../src/model/log/module-log.ts'
import { startRelay } from '../../kubernetes/controller/support/relay.ts'
import { Queue } from '../support/queue.ts'
import { configOf } from '../support/scripted-api.ts'
import { startStandInApi } from '../support/stand-in-api.ts'

const times = { leaseSeconds: 6, renewMs: 3_000, retryMs: 200 }

/** A replica whose way to the API server may be its own. */
const startReplica = (origin: string, identity: string) => {
  const client = new ApiClient(new ClusterAccess(configOf(origin)))
  const term = new LeaderTerm()
  const stop$ = new Subject<void>()
  const changes = new Queue<{ readonly isLeader: boolean; readonly at: number }>()
  const options = { client, namespace: 'system', name: 'lease', identity, stop$, term, log: silentLog, times }
  const subscription = leadership(options).subscribe((isLeader) => {
    changes.push({ isLeader, at: performance.now() })
  })
  return {
    term,
    changes,
    writer: client.writingWhile(() => term.isCurrent),
    [Symbol.asyncDispose]: async () => {
      subscription.unsubscribe()
      await client.close()
    },
  }
}

const write = (client: ApiClient, name: string) =>
  firstValueFrom(
    client.request({
      method: 'POST',
      path: '/api/v1/namespaces/ns/configmaps',
      body: { metadata: { namespace: 'ns', name } },
    }),
  ).then(
    () => 'written',
    (error: unknown) => asApiFailure(error).reason,
  )

test('a leader without the API server has stopped writing long before another one begins', async (t) => {
  await using api = await startStandInApi()
  await using relay = await startRelay(Number(new URL(api.origin).port))
  await using first = startReplica(`http://127.0.0.1:${relay.port}`, 'first')
  assert.equal((await first.changes.next()).isLeader, false)
  assert.equal((await first.changes.next()).isLeader, true)
  assert.equal(await write(first.writer, 'early'), 'written')
  await using second = startReplica(api.origin, 'second')
  assert.equal((await second.changes.next()).isLeader, false)
  assert.equal(await write(second.writer, 'early-too'), 'NotLeader')
  relay.close()
  const lost = await first.changes.next()
  assert.equal(lost.isLeader, false)
  const taken = await second.changes.next()
  assert.equal(taken.isLeader, true)
  const betweenMs = taken.at - lost.at
  t.diagnostic(`${Math.round(betweenMs)} ms between`)
  // The difference of lease and renewal is 3 s, of which a busy machine may take a part.
  assert.ok(betweenMs > 500, String(betweenMs))
  relay.open()
  assert.equal(await write(first.writer, 'late'), 'NotLeader')
  assert.equal(await write(second.writer, 'taken'), 'written')
  assert.equal(api.objects.get('/configmaps', 'ns/late'), undefined)
})

test('a leader that was frozen writes nothing, although it has not been told yet', async () => {
  await using api = await startStandInApi()
  await using replica = startReplica(api.origin, 'first')
  assert.equal((await replica.changes.next()).isLeader, false)
  assert.equal((await replica.changes.next()).isLeader, true)
  const result = new Promise<string>((resolve) => {
    // Due before the end of the leadership, and so run before it.
    setTimeout(() => resolve(write(replica.writer, 'late')), 1)
  })
  while (replica.term.isCurrent);
  assert.equal(replica.changes.size, 0)
  assert.equal(await result, 'NotLeader')
  assert.equal(api.objects.get('/configmaps', 'ns/late'), undefined)
})

test('whoever does not lead reads', async () => {
  await using api = await startStandInApi()
  const client = new ApiClient(new ClusterAccess(configOf(api.origin)))
  const reader = client.writingWhile(() => false)
  const list = await firstValueFrom(reader.request({ method: 'GET', path: '/api/v1/configmaps' }))
  assert.deepEqual((list as { readonly items: unknown }).items, [])
  assert.equal(await write(reader, 'x'), 'NotLeader')
  await client.close()
})
