import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { sendRequest } from '../support/send-request.ts'
import { anyPorts, type Daemon, startDaemon } from '../support/daemon.ts'

const configuration = (policies: string) => `${anyPorts}
gateways: { default: { port: 0, address: 127.0.0.1 } }
routes:
  - { name: hello, policies: { ${policies} directResponse: { status: 200, body: hello } } }
`

const guarded = (file: string) => configuration(`basicAuth: { htpasswd: { file: "${file}" } },`)

/** A line of an htpasswd file; the password is `password`. */
const entry = (name: string) => `${name}:{SHA}W6ph5Mm5Pz8GgiULbPgzG37mj9g=\n`

const statusFor = async (daemon: Daemon, name: string): Promise<number> => {
  const authorization = `Basic ${Buffer.from(`${name}:password`).toString('base64')}`
  return (await sendRequest(daemon.url('default'), '/', { headers: { authorization } })).status
}

/** Resolves once a file is in force that a change may have emptied for a moment, and that lets this user in. */
const admits = async (daemon: Daemon, name: string): Promise<void> => {
  while ((await statusFor(daemon, name)) !== 200) await setTimeout(10)
}

/** Makes a change and resolves when the resulting configuration is in force, or refused. */
const after = async (daemon: Daemon, outcome: RegExp, change: () => void): Promise<void> => {
  const count = () => daemon.output().match(outcome)?.length ?? 0
  const before = count()
  change()
  while (count() === before) await setTimeout(10)
}

test('files that a configuration names', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'named-files-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const [first, second] = [join(folder, 'first'), join(folder, 'second')]
  writeFileSync(first, entry('alice'))
  await using daemon = await startDaemon(configuration(''))
  await daemon.printed(/configuration in force/)
  const taken = /configuration in force/g

  await t.test('are watched from the reload that added them', async () => {
    assert.equal(await statusFor(daemon, 'nobody'), 200)
    await after(daemon, taken, () => daemon.rewrite(guarded(first)))
    assert.deepEqual([await statusFor(daemon, 'alice'), await statusFor(daemon, 'bob')], [200, 401])
    writeFileSync(first, entry('bob'))
    await admits(daemon, 'bob')
    assert.equal(await statusFor(daemon, 'alice'), 401)
  })

  await t.test('keep the last valid configuration in force while they are missing', async () => {
    await after(daemon, /Failed to reload config/g, () => daemon.rewrite(guarded(second)))
    assert.equal(await statusFor(daemon, 'bob'), 200)
    writeFileSync(second, entry('carol'))
    await admits(daemon, 'carol')
    assert.equal(await statusFor(daemon, 'bob'), 401)
  })
})
