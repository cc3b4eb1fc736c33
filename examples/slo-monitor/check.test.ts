import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { startExample } from '../../test/support/example.ts'
import { startUpstream } from '../../test/support/upstream.ts'

test('examples/slo-monitor', async (t) => {
  await using upstream = await startUpstream((req, res) => {
    res.writeHead(req.url === '/shop/broken' ? 500 : 200).end()
  })
  await using gateway = await startExample('slo-monitor', { ORIGIN: upstream.host })
  const program = new URL('monitor.ts', import.meta.url).pathname
  const monitor = spawn(process.execPath, ['--conditions=agentgateway-source', program], {
    env: { ...process.env, ADMIN_URL: gateway.url('admin'), WINDOW_MS: '200', SLOW_MS: '60000' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  t.after(() => monitor.kill('SIGKILL'))
  const printed = createInterface(monitor.stdout)[Symbol.asyncIterator]()
  const opened = createInterface(monitor.stderr)
  assert.deepEqual(await once(opened, 'line'), ['trace open'])

  await t.test('reports windows in which the objective is kept or violated', async () => {
    await Promise.all([fetch(`${gateway.url('default')}/shop`), fetch(`${gateway.url('default')}/other`)])
    assert.equal((await printed.next()).value, 'kept: 0 of 1 requests were slow or failed')
    await fetch(`${gateway.url('default')}/shop/broken`)
    assert.equal((await printed.next()).value, 'violated: 1 of 1 requests were slow or failed')
  })

  await t.test('ends with its subscription', async () => {
    monitor.kill('SIGTERM')
    assert.deepEqual(await once(monitor, 'close'), [0, null])
  })
})
