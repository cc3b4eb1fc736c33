import assert from 'node:assert/strict'
import { mkdtempDisposableSync, readFileSync, renameSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { sendRequest } from '../support/send-request.ts'
import { command } from '../support/command.ts'
import { anyPorts, startDaemon } from '../support/daemon.ts'
import { documentedVariables } from '../support/documented-variables.ts'
import { findProgram } from '../support/find-program.ts'

const unit = 'deploy/systemd/agentgateway.service'
const socket = 'deploy/systemd/agentgateway.socket'

/** Values of a setting in a unit file. */
const valuesOf = (file: string, setting: string): string[] =>
  [...readFileSync(file, 'utf8').matchAll(new RegExp(`^${setting}=(.*)$`, 'gm'))].map(
    ([, value = '']) => value,
  )

test('the unit files', async (t) => {
  const isThere = findProgram('systemd-analyze') !== undefined

  await t.test('are valid for systemd', { skip: isThere ? false : 'no systemd-analyze' }, async () => {
    const { status, stdout, stderr } = await command('systemd-analyze', ['verify', unit, socket])
    assert.deepEqual([status, stdout, stderr], [0, '', ''])
  })

  await t.test('set variables of the gateway as the reference has them', () => {
    const known = documentedVariables()
    const settings = valuesOf(unit, 'Environment').flatMap((value) => value.split(' '))
    const names = settings.map((setting) => setting.replace(/=.*/, ''))
    assert.deepEqual(
      names.filter((name) => !known.has(name) && name !== 'NODE_ENV'),
      [],
    )
    const [seconds] = valuesOf(unit, 'TimeoutStopSec')
    assert.ok(settings.includes(`TERMINATION_GRACE_PERIOD_SECONDS=${seconds}`))
  })

  await t.test('accept notifications of the program that sends them, and reload by SIGHUP', () => {
    assert.deepEqual(
      ['Type', 'NotifyAccess', 'ExecReload'].map((setting) => valuesOf(unit, setting)),
      [['notify'], ['all'], ['/bin/kill -HUP $MAINPID']],
    )
  })

  await t.test('open an address of a gateway', () => {
    for (const address of valuesOf(socket, 'ListenStream')) assert.match(address, /^\[::\]:\d+$/)
  })
})

test('the settings of logrotate in the guides', async (t) => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'logrotate-'))
  const file = join(folder.path, 'gateway.log')
  const textOf = (path: string): string => {
    try {
      return readFileSync(path, 'utf8')
    } catch {
      return '' // not created yet
    }
  }
  await using daemon = await startDaemon(`${anyPorts}  logging: { file: ${JSON.stringify(file)} }
gateways:
  default: { port: 0, address: 127.0.0.1 }
routes: [{ policies: { directResponse: { status: 200, body: ok } } }]
`)

  for (const [guide, pattern] of [
    ['operations', /systemctl kill --signal=(SIG\w+) --kill-who=main agentgateway/],
    ['log-levels', /pkill -(USR\d) -F/],
  ] as const) {
    await t.test(`send a signal that opens the file again: ${guide}`, async () => {
      const [, name = ''] = pattern.exec(readFileSync(`docs/guides/${guide}.md`, 'utf8')) ?? []
      renameSync(file, `${file}.${guide}`)
      process.kill(daemon.child.pid!, `SIG${name.replace('SIG', '')}` as NodeJS.Signals)
      while (!textOf(file).includes(`http.path=/${guide}`)) {
        assert.equal((await sendRequest(daemon.url('default'), `/${guide}`)).status, 200)
        await pause(20)
      }
    })
  }
})
