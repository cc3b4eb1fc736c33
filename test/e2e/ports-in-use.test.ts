import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { command } from '../support/command.ts'
import { anyPorts } from '../support/daemon.ts'

test('a gateway whose port is in use', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'ports-taken-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const other = createServer().listen(0, '127.0.0.1')
  t.after(() => other.close())
  await once(other, 'listening')
  const { port } = other.address() as AddressInfo

  const lastLineOf = async (configuration: string) => {
    const file = join(folder, 'gateway.yaml')
    writeFileSync(file, configuration)
    const { status, stderr } = await command(process.execPath, ['src/main.ts', '-f', file])
    return [status, stderr.trimEnd().split('\n').at(-1)]
  }

  const reason = `cannot listen on 127.0.0.1:${port}: another process (or another bind) has it already`

  await t.test('exits with one line that names the address', async () => {
    const gateway = `${anyPorts}gateways:\n  default: { address: 127.0.0.1, port: ${port} }\n`
    assert.deepEqual(await lastLineOf(gateway), [1, `bind/127.0.0.1:${port} ${reason}`])
  })

  await t.test('exits in the same way if it is the port of the admin server', async () => {
    const admin = anyPorts.replace('adminAddr: 127.0.0.1:0', `adminAddr: 127.0.0.1:${port}`)
    const gateway = `${admin}gateways:\n  default: { address: 127.0.0.1, port: 0 }\n`
    assert.deepEqual(await lastLineOf(gateway), [
      1,
      `admin ${reason}; config.adminAddr and ADMIN_ADDR choose another address`,
    ])
  })
})
