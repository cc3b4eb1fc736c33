import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { suite, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { sendRequest } from '../support/send-request.ts'
import { anyPorts, type Daemon, daemonProgram, startDaemon } from '../support/daemon.ts'
import { RawClient } from '../support/raw-client.ts'

const configuration = (settings: string) => `${anyPorts}${settings}
gateways: { default: { port: 0, address: 127.0.0.1 } }
routes:
  - name: stuck
    matches: [{ path: { exact: /stuck } }]
    policies: { delay: { duration: 1m }, directResponse: { status: 200, body: late } }
  - { name: hello, policies: { directResponse: { status: 200, body: hello } } }
`

const request = 'GET / HTTP/1.1\r\nhost: a.test\r\n\r\n'

const connected = async (daemon: Daemon): Promise<RawClient> =>
  RawClient.to(Number(new URL(daemon.url('default')).port))

/** Whether a process has a handler for SIGTERM. */
const caught = (pid: number): boolean => {
  const [, mask = ''] = /^SigCgt:\s*([0-9a-f]+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return (BigInt(`0x${mask}`) & (1n << 14n)) !== 0n
}

const readiness = async (daemon: Daemon) => (await fetch(`${daemon.url('readiness')}/healthz/ready`)).text()

suite('a gateway that is shut down', () => {
  test('keeps serving until the minimum deadline while it is not ready, and then exits', async () => {
    await using daemon = await startDaemon(
      configuration('  connectionMinTerminationDeadline: 4s\n  connectionTerminationDeadline: 120s\n'),
    )
    using idle = await connected(daemon)
    idle.send(request)
    await idle.until('hello')
    const exit = once(daemon.child, 'exit')
    const told = performance.now()
    daemon.child.kill('SIGTERM')
    await daemon.printed(/draining deadlineMs=120000 minMs=4000/)
    assert.match(await readiness(daemon), /^not ready, pending: .*draining/)
    assert.equal((await sendRequest(daemon.url('default'), '/')).text, 'hello')
    idle.received = ''
    idle.send(request)
    await idle.until('hello')
    assert.equal(idle.closed, false)
    await idle.end()
    const closedAfter = performance.now() - told
    assert.deepEqual(await exit, [0, null])
    const endedAfter = performance.now() - told
    assert.ok(closedAfter >= 3_950 && endedAfter < 100_000, `${closedAfter} ms, ${endedAfter} ms`)
  })

  test('does not wait for idle connections after that', async () => {
    await using daemon = await startDaemon(configuration('  connectionTerminationDeadline: 60s\n'))
    using idle = await connected(daemon)
    idle.send(request)
    await idle.until('hello')
    const told = performance.now()
    assert.equal(await daemon.stop('SIGTERM'), 0)
    assert.ok(performance.now() - told < 30_000)
  })

  test('exits even if its log is not read', async () => {
    await using daemon = await startDaemon(configuration('  connectionTerminationDeadline: 10s\n'))
    const exit = once(daemon.child, 'exit')
    daemon.child.stdout?.destroy()
    daemon.child.kill('SIGTERM')
    assert.deepEqual(await exit, [0, null])
  })

  test('during startup is ended by the signal', async () => {
    const child = spawn(process.execPath, [daemonProgram, '-f', '/dev/stdin'], {
      stdio: ['pipe', 'ignore', 'ignore'],
    })
    const exit = once(child, 'exit')
    // Signal handlers are installed before the configuration is read, which does not end.
    while (!caught(child.pid!)) await setTimeout(10)
    child.kill('SIGTERM')
    assert.deepEqual(await exit, [null, 'SIGTERM'])
  })

  test('counts the minimum as part of the deadline, and replies to /quitquitquit once it accepts no connections', async () => {
    await using daemon = await startDaemon(configuration(''), {
      env: { CONNECTION_MIN_TERMINATION_DEADLINE: '1s', CONNECTION_TERMINATION_DEADLINE: '4s' },
    })
    using stuck = await connected(daemon)
    stuck.send(request.replace('/', '/stuck'))
    const metrics = async () => (await sendRequest(daemon.url('stats'), '/metrics')).text
    while (!/^agentgateway_exchanges_in_flight 1$/m.test(await metrics())) await setTimeout(10)
    const exit = once(daemon.child, 'exit')
    const told = performance.now()
    const quit = await sendRequest(daemon.url('admin'), '/quitquitquit', { method: 'POST' })
    const answeredAfter = performance.now() - told
    assert.equal(quit.text, 'shutdown now\n')
    await assert.rejects(sendRequest(daemon.url('default'), '/'))
    assert.deepEqual(await exit, [0, null])
    const endedAfter = performance.now() - told
    assert.ok(answeredAfter >= 950, `${answeredAfter} ms`)
    assert.ok(endedAfter >= 3_950 && endedAfter < 60_000, `${endedAfter} ms`)
    const [line] = await daemon.printed(/\trequest .*path=\/stuck .*/)
    assert.match(line, / error="the gateway ended"/)
  })
})
