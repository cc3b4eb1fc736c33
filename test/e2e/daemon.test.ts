import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { anyPorts, daemonSources, startDaemon } from '../support/daemon.ts'
import { startUpstream } from '../support/upstream.ts'

const proxyTo = (host: string) => `${anyPorts}
gateways: { default: { port: 0, address: 127.0.0.1 } }
routes:
  - name: hello
    matches: [{ path: { exact: /hello } }]
    policies: { directResponse: { status: 200, body: hello } }
  - name: service
    backends: [{ host: "${host}" }]
`

test('the daemon', async (t) => {
  await using upstream = await startUpstream((req, res) => {
    req.resume()
    res.setHeader('x-path', req.url ?? '')
    if (req.url === '/slow') res.write('first ')
    if (req.url === '/forever') return
    setTimeout(() => res.end('from upstream'), req.url === '/slow' ? 40 : 0)
  })

  await t.test('serves direct responses and an upstream', async () => {
    await using daemon = await startDaemon(proxyTo(upstream.host))
    const hello = await fetch(`${daemon.url('default')}/hello`)
    assert.deepEqual([hello.status, await hello.text()], [200, 'hello'])
    const proxied = await fetch(`${daemon.url('default')}/a/../b?c=d`)
    assert.deepEqual([proxied.headers.get('x-path'), await proxied.text()], ['/b?c=d', 'from upstream'])
  })

  await t.test('loads a changed file without closing its port', async () => {
    await using daemon = await startDaemon(proxyTo(upstream.host))
    const url = daemon.url('default')
    const before = await hash(daemon.url('admin'))
    daemon.rewrite(proxyTo(upstream.host).replace('body: hello', 'body: changed'))
    await daemon.printed(/configuration in force[^]*configuration in force/)
    assert.equal(await (await fetch(`${url}/hello`)).text(), 'changed')
    assert.notEqual(await hash(daemon.url('admin')), before)
  })

  await t.test(
    'keeps the last valid configuration if a file is invalid, logs this once, and exports it as a metric',
    async () => {
      await using daemon = await startDaemon(proxyTo(upstream.host))
      assert.match(await metrics(daemon.url('stats')), /^agentgateway_config_synchronized 1$/m)
      daemon.rewrite(proxyTo(upstream.host).replace('matches:', 'matchs:'))
      await daemon.printed(/gateway\.yaml:\d+:5: routes\[0\]\.matchs/)
      await daemon.printed(/did you mean \\?"matches/)
      assert.equal(await (await fetch(`${daemon.url('default')}/hello`)).text(), 'hello')
      assert.match(await metrics(daemon.url('stats')), /^agentgateway_config_synchronized 0$/m)
      daemon.rewrite(proxyTo(upstream.host))
      await daemon.printed(/configuration in force[^]*configuration in force/)
      assert.match(await metrics(daemon.url('stats')), /^agentgateway_config_synchronized 1$/m)
      assert.equal(daemon.output().match(/failed to reload/gi)?.length, 1)
    },
  )

  await t.test('finishes exchanges in flight on SIGTERM, and exits with 0', async () => {
    await using daemon = await startDaemon(proxyTo(upstream.host))
    const [answer] = (await once(get(`${daemon.url('default')}/slow`), 'response')) as [IncomingMessage]
    const ended = daemon.stop('SIGTERM')
    let text = ''
    for await (const chunk of answer) text += String(chunk)
    assert.equal(text, 'first from upstream')
    assert.equal(await ended, 0)
  })

  await t.test('ends on POST /quitquitquit, and refuses GET', async () => {
    await using daemon = await startDaemon(proxyTo(upstream.host))
    const url = `${daemon.url('admin')}/quitquitquit`
    assert.equal((await fetch(url)).status, 405)
    const quit = await fetch(url, { method: 'POST' })
    assert.equal(await quit.text(), 'shutdown now\n')
    await once(daemon.child, 'exit')
    assert.equal(daemon.child.exitCode, 0)
  })

  await t.test('exits at once on a second signal', async () => {
    await using daemon = await startDaemon(proxyTo(upstream.host))
    const asked = once(upstream.server, 'request')
    get(`${daemon.url('default')}/forever`).on('error', () => undefined)
    await asked
    const exit = once(daemon.child, 'exit')
    daemon.child.kill('SIGTERM')
    await daemon.printed(/draining/)
    const again = setInterval(() => daemon.child.kill('SIGTERM'), 100)
    t.after(() => clearInterval(again))
    assert.deepEqual(await exit, [1, null])
    clearInterval(again)
  })

  await t.test('treats two different signals sent together, as by a terminal and npm, as one', async () => {
    await using daemon = await startDaemon(proxyTo(upstream.host))
    const [answer] = (await once(get(`${daemon.url('default')}/slow`), 'response')) as [IncomingMessage]
    // Two signals of the same name can be merged into one.
    daemon.child.kill('SIGINT')
    const ended = daemon.stop('SIGTERM')
    let text = ''
    for await (const chunk of answer) text += String(chunk)
    assert.equal(text, 'first from upstream')
    assert.equal(await ended, 0)
  })

  await t.test('logs that it is ready, and its addresses', async () => {
    await using daemon = await startDaemon(proxyTo(upstream.host))
    const ready = await fetch(`${daemon.url('readiness')}/healthz/ready`)
    assert.deepEqual([ready.status, await ready.text()], [200, 'ready\n'])
  })
})

test('the command line', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'command-line-'))
  const good = join(folder, 'good.yaml')
  const bad = join(folder, 'bad.yaml')
  writeFileSync(good, proxyTo('127.0.0.1:9'))
  writeFileSync(bad, 'gateways:\n  default: { port: 80000 }\nroutes:\n  - backend: []\n')

  await t.test('validates a file', async () => {
    assert.deepEqual(await command(['-f', good, '--validate-only']), [0, 'Configuration is valid!\n', ''])
  })

  await t.test('reports every problem of a file at once', async () => {
    const [code, , problems] = await command(['-f', bad, '--validate-only'])
    assert.equal(code, 1)
    assert.match(problems, /bad\.yaml:2:20: gateways\.default\.port: 80000 /)
    assert.match(problems, /bad\.yaml:4:5: routes\[0\]\.backend/)
  })

  await t.test('fails without a configuration, and lists where it looked', async () => {
    const [code, , problems] = await command([], { HOME: folder, XDG_CONFIG_HOME: folder })
    assert.notEqual(code, 0)
    assert.match(problems, /agentgateway\/config\.yaml/)
  })

  await t.test('prints its version', async () => {
    const [code, version] = await command(['-V'])
    assert.deepEqual([code, /^\d+\.\d+\.\d+\n$/.test(version)], [0, true])
    const [, json] = await command(['--version'])
    assert.equal((JSON.parse(json) as { version: string }).version, version.trim())
  })
})

const hash = async (adminUrl: string): Promise<string> =>
  ((await (await fetch(`${adminUrl}/config_dump`)).json()) as { hash: string }).hash

const metrics = async (statsUrl: string): Promise<string> => (await fetch(`${statsUrl}/metrics`)).text()

const command = (args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<[number, string, string]> =>
  new Promise((resolve) => {
    execFile(
      process.execPath,
      [daemonSources, ...args],
      { env: { ...process.env, ...env } },
      (error, stdout, stderr) => {
        resolve([typeof error?.code === 'number' ? error.code : 0, stdout, stderr])
      },
    )
  })
