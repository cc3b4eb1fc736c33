import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
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

test('agctl with a running gateway that requires a token', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'agctl-running-'))
  t.after(() => {
    rmSync(folder, { recursive: true })
  })
  const tokens = join(folder, 'tokens')
  writeFileSync(tokens, '# rotated every week\n\nfirst-token-of-the-admin\nsecond-token-of-the-admin\n')
  await using upstream = await startUpstream((_req, res) => res.end('ok'))
  await using daemon = await startDaemon(`${anyPorts}  admin: { auth: { tokenFile: ${tokens} } }
gateways: { default: { port: 0, address: 127.0.0.1 } }
routes: [{ backends: [{ host: '${upstream.host}' }] }]
`)
  // The file of the gateway, with comments and several tokens.
  const admin = ['--admin-url', daemon.url('admin'), '--token-file', tokens]
  const log = (...args: string[]) => runAgctlProgram(['proxy', 'log', ...admin, ...args])

  await t.test('shows and sets its log levels', async () => {
    const printed = []
    for (const args of [
      [],
      ['--set', 'upstream=trace', '--set', 'mcp=debug'],
      ['--level', 'warn'],
      ['--reset', '--set', 'llm=off'],
      ['--reset'],
    ])
      printed.push((await log(...args)).stdout)
    assert.deepEqual(printed, [
      'current log level is info\n',
      'current log level is info,upstream=trace,mcp=debug\n',
      'current log level is warn,upstream=trace,mcp=debug\n',
      'current log level is info,llm=off\n',
      'current log level is info\n',
    ])
  })

  await t.test('names the modules if one is unknown, and not the parameters of the endpoint', async () => {
    const { code, stderr } = await log('--set', 'nosuch=debug')
    assert.equal(code, 1)
    assert.match(
      stderr,
      /^Error: the gateway at \S+ refuses \/logging: .* unknown module: nosuch; known are gateway, /,
    )
    assert.doesNotMatch(stderr, /usage/)
  })

  await t.test('saves its profiles', async () => {
    for (const args of [['cpu', '--seconds', '1'], ['heap']]) {
      const [kind = ''] = args
      const file = join(folder, `${kind}.pb.gz`)
      const run = await runAgctlProgram(['proxy', 'profile', ...args, ...admin, '-o', file])
      assert.deepEqual(run, { code: 0, stdout: `Wrote ${kind} profile to ${file}\n`, stderr: '' })
      assert.ok(gunzipSync(readFileSync(file)).length > 0)
      assert.equal(statSync(file).mode & 0o777, 0o600)
    }
  })

  await t.test('says what another profile is taken for', async () => {
    const leaving = new AbortController()
    const taken = fetch(`${daemon.url('admin')}/debug/pprof/profile?seconds=300`, {
      headers: { authorization: 'Bearer first-token-of-the-admin' },
      signal: leaving.signal,
    })
    const file = join(folder, 'refused.pb.gz')
    const { code, stderr } = await runAgctlProgram(['proxy', 'profile', 'cpu', ...admin, '-o', file])
    leaving.abort()
    await assert.rejects(taken, { name: 'AbortError' })
    assert.equal(code, 1)
    assert.match(stderr, /^Error: cpu profile returned 409: a CPU profile is being taken/)
  })

  await t.test('prints no control characters of a request', async () => {
    const { port } = new URL(daemon.url('default'))
    const args = ['proxy', 'trace', ...admin, '--port', port, '--raw', '--', 'http://shop.example/']
    const { code, stdout } = await runAgctlProgram([...args, '-H', 'x-evil: a\u009b31m'])
    assert.equal(code, 0)
    assert.match(stdout, /"x-evil":"a\\u009b31m"/)
    assert.doesNotMatch(stdout, /[\u007f-\u009f]/)
  })

  await t.test('says that the token is missing, in every command', async () => {
    for (const args of [
      ['proxy', 'config', 'routes'],
      ['proxy', 'log'],
      ['proxy', 'profile', 'heap', '-o', join(folder, 'none')],
      ['proxy', 'trace', '--summary'],
      ['version'],
    ]) {
      const { code, stderr } = await runAgctlProgram([...args, '--admin-url', daemon.url('admin')])
      assert.equal(code, 1)
      assert.match(stderr, /a bearer token is required\n--token-file FILE or \$AGENTGATEWAY_ADMIN_TOKEN/)
    }
  })
})
