import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { suite, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { sendRequest } from '../support/send-request.ts'
import { anyPorts, type Daemon, daemonProgram, startDaemon } from '../support/daemon.ts'
import { freePort } from '../support/free-port.ts'
import { RawClient } from '../support/raw-client.ts'

const configuration = (body: string, settings = '', gateways = ''): string => `${anyPorts}${settings}
gateways:
  default: { port: 0, address: 127.0.0.1 }
${gateways}
routes:
  - name: stuck
    gateways: default
    matches: [{ path: { exact: /stuck } }]
    policies: { delay: { duration: 1m }, directResponse: { status: 200, body: late } }
  - name: it
    gateways: default
    policies: { directResponse: { status: 200, body: ${body} } }
`

const inForce = /configuration in force/g
const times = (daemon: Daemon, pattern: RegExp): number => daemon.output().match(pattern)?.length ?? 0

/** Performs an action and waits until the log has one more matching line. */
const logs = async (daemon: Daemon, pattern: RegExp, deed: () => void): Promise<void> => {
  const before = times(daemon, pattern)
  deed()
  while (times(daemon, pattern) === before) await setTimeout(10)
}

const hangUp = (daemon: Daemon) => daemon.child.kill('SIGHUP')
const answer = async (daemon: Daemon) => (await sendRequest(daemon.url('default'), '/')).text
const synchronized = async (daemon: Daemon) =>
  /^agentgateway_config_synchronized (\d)$/m.exec(
    (await sendRequest(daemon.url('stats'), '/metrics')).text,
  )?.[1]

suite('SIGHUP', () => {
  test('reloads the configuration, changed or not, and keeps serving', async () => {
    await using daemon = await startDaemon(configuration('one'))
    await daemon.printed(/configuration in force/)
    await logs(daemon, inForce, () => hangUp(daemon))
    await logs(daemon, inForce, () => {
      for (let i = 0; i < 5; i++) hangUp(daemon)
    })
    assert.equal(await answer(daemon), 'one')
    assert.equal(daemon.child.exitCode, null)
  })

  test('with an invalid file keeps the configuration in force', async () => {
    await using daemon = await startDaemon(configuration('one'))
    await logs(daemon, /Failed to reload config/g, () => daemon.rewrite('routes: ['))
    await logs(daemon, /Failed to reload config/g, () => hangUp(daemon))
    assert.equal(await answer(daemon), 'one')
    await logs(daemon, inForce, () => daemon.rewrite(configuration('two')))
    assert.equal(await answer(daemon), 'two')
  })

  test('does not end a gateway that drains', async () => {
    await using daemon = await startDaemon(
      configuration('one', '  connectionMinTerminationDeadline: 6s\n  connectionTerminationDeadline: 30s\n'),
    )
    const exit = once(daemon.child, 'exit')
    daemon.child.kill('SIGTERM')
    await daemon.printed(/draining/)
    hangUp(daemon)
    assert.equal(await answer(daemon), 'one')
    using idle = await RawClient.to(Number(new URL(daemon.url('default')).port))
    idle.send('GET / HTTP/1.1\r\nhost: a.test\r\n\r\n')
    await idle.until('one')
    hangUp(daemon)
    assert.deepEqual(await exit, [0, null])
  })

  test('during startup does not end a gateway', async () => {
    const child = spawn(process.execPath, [daemonProgram, '-f', '-'], { stdio: ['pipe', 'pipe', 'inherit'] })
    let said = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text))
    const exit = once(child, 'exit')
    // Signal handlers are installed before the configuration is read, which has not arrived yet.
    while (!catchesHangUp(child.pid ?? 0)) await setTimeout(10)
    child.kill('SIGHUP')
    child.stdin.end(configuration('one'))
    while (!said.includes('ready')) await setTimeout(10)
    // There is no file to reload, which is logged.
    while (!said.includes('cannot reload: the configuration is no file source=<stdin>')) await setTimeout(10)
    child.kill('SIGTERM')
    assert.deepEqual(await exit, [0, null])
  })
})

suite('a reload', () => {
  test('logs the changed fields of the section config that need a restart', async () => {
    await using daemon = await startDaemon(configuration('one'))
    await daemon.printed(/configuration in force/)
    const more =
      '  connectionTerminationDeadline: 7s\n  logging: { level: debug }\n  session: { key: "KEY" }\n'
    const changed = configuration('two', more.replace('KEY', 'ab'.repeat(32)))
    await logs(daemon, inForce, () => daemon.rewrite(changed))
    const [line] = await daemon.printed(/.*changed fields need a restart.*/)
    assert.match(line, /warn/i)
    assert.match(
      line,
      /fields="config\.connectionTerminationDeadline config\.session\.key config\.logging\.level"/,
    )
    assert.doesNotMatch(daemon.output(), /abababab/)
    assert.equal(await answer(daemon), 'two')
    const dump = (await (await fetch(`${daemon.url('admin')}/config_dump`)).json()) as object
    assert.match(JSON.stringify(dump), /"terminationMaxDeadline":"5s"/)
    await logs(daemon, inForce, () => daemon.rewrite(configuration('three')))
    assert.equal(times(daemon, /changed fields need a restart/g), 1)
  })

  test('with a port in use is not reported as in force, and SIGHUP tries again', async () => {
    const port = await freePort()
    const other = createServer().listen(port, '127.0.0.1')
    await once(other, 'listening')
    other.unref()
    await using daemon = await startDaemon(configuration('one'))
    await daemon.printed(/configuration in force/)
    const before = times(daemon, inForce)
    const both = configuration('two', '', `  second: { port: ${port}, address: 127.0.0.1 }`)
    await logs(daemon, /only a part of the configuration could be applied/g, () => daemon.rewrite(both))
    await daemon.printed(/cannot listen|EADDRINUSE|in use/i)
    assert.equal(times(daemon, inForce), before)
    assert.equal(await synchronized(daemon), '0')
    assert.equal(await answer(daemon), 'two')
    other.close()
    await once(other, 'close')
    await logs(daemon, inForce, () => hangUp(daemon))
    assert.equal(await synchronized(daemon), '1')
    assert.equal((await sendRequest(`http://127.0.0.1:${port}`, '/')).text, 'route not found')
  })
})

const catchesHangUp = (pid: number): boolean => {
  const [, mask = '0'] = /^SigCgt:\s*([0-9a-f]+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return (BigInt(`0x${mask}`) & 1n) !== 0n
}
