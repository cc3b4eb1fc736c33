import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EventLoopLiveness, livenessEndpoint, livenessReport } from '../../src/admin/liveness.ts'
import { serveEndpoints } from '../../src/admin/server/endpoint-server.ts'
import { call } from '../support/admin-call.ts'

test('liveness', async (t) => {
  let now = 0
  const liveness = new EventLoopLiveness(() => now)
  t.after(() => liveness.close())
  const report = livenessReport(liveness)
  const server = await serveEndpoints({
    address: { host: '127.0.0.1', port: 0 },
    endpoints: [livenessEndpoint(report)],
  })
  t.after(() => server.close(0))
  const check = async (path = '/healthz/live', method = 'GET') => {
    const { status, text } = await call(server.addresses[0] ?? '', path, { method })
    return [status, text]
  }
  const turns = (...ms: readonly number[]) => {
    for (const one of ms) {
      now += one
      liveness.tick()
    }
  }

  await t.test('is 200 while the event loop turns, whatever the parameters', async () => {
    turns(500, 500, 4_000)
    assert.deepEqual(await check(), [200, 'live\n'])
    assert.deepEqual(await check('/healthz/live?probe=1&probe=1'), [200, 'live\n'])
    assert.deepEqual(await check('/healthz/live', 'POST'), [405, ''])
  })

  await t.test('is 500 once after the loop was blocked for more than 5 seconds', async () => {
    turns(500, 6_500, 500)
    assert.deepEqual(await check(), [500, 'not live: the event loop was blocked for 6000 ms\n'])
    assert.deepEqual(await check(), [200, 'live\n'])
  })

  await t.test('is 500 also if the check is read before the first timer', async () => {
    now += 30_000
    const [status] = await check()
    assert.equal(status, 500)
  })

  await t.test('forgets a stall of more than a minute ago', async () => {
    turns(20_000, ...Array.from({ length: 121 }, () => 500))
    assert.deepEqual(await check(), [200, 'live\n'])
  })

  await t.test('of several processes is that of the worst', () => {
    assert.deepEqual(report.merge([{ blockedMs: 3 }, { blockedMs: 7_000 }, { blockedMs: 0 }]), {
      blockedMs: 7_000,
    })
  })
})
