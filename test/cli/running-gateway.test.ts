import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyPorts, startDaemon } from '../support/daemon.ts'
import { runAgctlProgram } from '../support/cli/agctl.ts'
import { startUpstream } from '../support/upstream.ts'
import type { TraceEvent } from '../../src/model/trace/trace-event.ts'

test('agctl with a running gateway', async (t) => {
  await using upstream = await startUpstream((req, res) => {
    res.end(`${req.method ?? ''} ${req.headers.host ?? ''} ${String(req.headers['x-a'])}`)
  })
  await using daemon = await startDaemon(`${anyPorts}
gateways: { default: { port: 0, address: 127.0.0.1 } }
routes:
  - name: shop
    gateways: default
    matches: [{ path: { pathPrefix: /shop } }]
    policies: { cors: { allowOrigins: ['*'] } }
    backends: [{ host: '${upstream.host}' }]
  - name: hidden
    gateways: default
    matches: [{ path: { pathPrefix: /shop } }]
    backends: [{ host: '${upstream.host}' }]
`)
  const admin = ['--admin-url', daemon.url('admin')]
  const { port } = new URL(daemon.url('default'))

  await t.test('lists its routes, and which are shadowed', async () => {
    const { stdout } = await runAgctlProgram(['proxy', 'config', 'routes', ...admin, '-o', 'json'])
    const [shop, hidden] = JSON.parse(stdout) as { route: string; backends: string[]; warnings: string[] }[]
    assert.deepEqual(shop?.backends, [upstream.host])
    assert.deepEqual(hidden?.warnings, ['shadowed by shop: /shop*'])
  })

  await t.test('sends a request and prints its events as JSON Lines', async () => {
    const args = ['proxy', 'trace', ...admin, '--port', port, '--raw', '--', 'http://shop.example/shop?q=1']
    const { code, stdout, stderr } = await runAgctlProgram([...args, '-X', 'PUT', '-d', 'x', '-H', 'x-a: b'])
    assert.deepEqual([code, stderr], [0, ''])
    const events = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as TraceEvent)
    assert.deepEqual(
      [events[0]?.message.type, events.at(-1)?.message.type],
      ['requestStarted', 'requestFinished'],
    )
    const { message } = events.find((one) => one.message.type === 'requestSnapshot') ?? {}
    assert.ok(message?.type === 'requestSnapshot')
    const { request } = message.requestState
    assert.deepEqual(
      [request?.method, request?.host, request?.pathAndQuery, request?.headers['x-a']],
      ['PUT', 'shop.example', '/shop?q=1', 'b'],
    )
  })

  await t.test('prints a line for each request', async () => {
    const urls = ['http://shop.example/shop', 'http://shop.example/none']
    const args = ['proxy', 'trace', ...admin, '--port', port, '--summary', '--', ...urls]
    const { stdout } = await runAgctlProgram(args)
    const [found, missed] = stdout.split('\n')
    assert.match(
      found ?? '',
      /^#\d+ GET shop\.example\/shop 200 [\d.]+ms route=\S*shop → 127\.0\.0\.1:\d+ 200 /,
    )
    assert.match(missed ?? '', /^#\d+ GET shop\.example\/none 404 [\d.]+ms code=\S+ route=none/)
  })

  await t.test('shows the error of an expression', async () => {
    const { code, stderr } = await runAgctlProgram(['proxy', 'trace', ...admin, '--expression', '1 +'])
    assert.equal(code, 1)
    assert.match(stderr, /^Error: trace stream returned 400: invalid expression: /)
  })

  await t.test('says if the request cannot be sent', async () => {
    const args = ['proxy', 'trace', ...admin, '--port', '1', '--', 'http://shop.example/']
    const { code, stderr } = await runAgctlProgram(args)
    assert.equal(code, 3)
    assert.match(
      stderr,
      /^Error: failed to execute traced request: .*ECONNREFUSED.*\n--port is the port of a listener/,
    )
  })

  await t.test('prints its version', async () => {
    const { stdout } = await runAgctlProgram(['version', ...admin, '--short'])
    assert.match(stdout, /^agctl \d+\.\d+\.\d+\n127\.0\.0\.1:\d+ \d+\.\d+\.\d+\n$/)
  })
})
