import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import {
  respondsOnce,
  callForResult,
  call,
  faultOf,
  isRunning,
  processesMarked,
  scripted,
  shell,
  StdioTestContext,
  until,
} from '../../../support/mcp/stdio-fixture.ts'

const parent = new URL('../../../support/mcp/stdio-parent.ts', import.meta.url).pathname

test('child processes of the gateway', async (t) => {
  await t.test('end with their transport, and so do their children', async () => {
    const word = `STDIO_${randomUUID()}`
    await using endpointAddress = new StdioTestContext()
    const transport = endpointAddress.transport(scripted({ env: { WORD: word } }))
    const { pid, own } = (await callForResult(transport, 'child')) as { pid: number; own: number }
    const outside = (await callForResult(transport, 'child', { detached: true })) as { pid: number }
    assert.deepEqual(processesMarked(word).sort(), [own, pid, outside.pid].sort())
    transport.close()
    await endpointAddress.children.none()
    await until(() => processesMarked(word).length === 0)
  })

  await t.test('end although a call is active', async () => {
    const word = `STDIO_${randomUUID()}`
    await using endpointAddress = new StdioTestContext()
    const transport = endpointAddress.transport(scripted({ env: { WORD: word } }))
    await callForResult(transport, 'child')
    const open = call(transport, 'silent')
    assert.equal(processesMarked(word).length, 2)
    open.cancel()
    transport.close()
    await endpointAddress.children.none()
    await until(() => processesMarked(word).length === 0)
  })

  await t.test('end although they have only just been started', async () => {
    const word = `STDIO_${randomUUID()}`
    await using endpointAddress = new StdioTestContext()
    const transport = endpointAddress.transport(scripted({ env: { WORD: word } }))
    const fault = faultOf(callForResult(transport, 'echo'))
    transport.close()
    assert.equal((await fault).code, 'mcp_session_closed')
    await endpointAddress.children.none()
    await until(() => processesMarked(word).length === 0)
  })

  await t.test('leave no children behind when they die', async () => {
    const word = `STDIO_${randomUUID()}`
    await using endpointAddress = new StdioTestContext()
    const transport = endpointAddress.transport(scripted({ env: { WORD: word } }))
    await callForResult(transport, 'child')
    await faultOf(callForResult(transport, 'die', { code: 1, words: 'bye' }))
    await endpointAddress.children.none()
    await until(() => processesMarked(word).length === 0)
  })

  await t.test('that ignore SIGTERM take the children that have left their group with them', async () => {
    await using endpointAddress = new StdioTestContext({ limits: { inputGraceMs: 20, termGraceMs: 20 } })
    const transport = endpointAddress.transport()
    await callForResult(transport, 'stubborn')
    const { pid } = (await callForResult(transport, 'child', { detached: true })) as { pid: number }
    transport.close()
    await endpointAddress.children.none()
    await until(() => !isRunning(pid))
    assert.equal(isRunning(transport.pid!), false)
  })

  for (const how of ['exit', 'throw', 'SIGTERM'] as const)
    await t.test(`end with the gateway: ${how}`, async () => {
      const word = `STDIO_${randomUUID()}`
      const gateway = spawn(process.execPath, [parent, how], { env: { ...process.env, WORD: word } })
      const gone = once(gateway, 'exit')
      await once(gateway.stdout, 'data')
      if (how === 'SIGTERM') {
        assert.equal(processesMarked(word).length, 7)
        gateway.kill()
      }
      await gone
      await until(() => processesMarked(word).length === 0)
    })

  await t.test('end with a gateway that was killed if they exit at the end of their input', async () => {
    const word = `STDIO_${randomUUID()}`
    const gateway = spawn(process.execPath, [parent, 'killed'], { env: { ...process.env, WORD: word } })
    await once(gateway.stdout, 'data')
    assert.equal(processesMarked(word).length, 2)
    gateway.kill('SIGKILL')
    await until(() => processesMarked(word).length === 0)
  })

  await t.test('come and go by the thousand, and leave neither processes nor descriptors', async () => {
    const word = `STDIO_${randomUUID()}`
    await using endpointAddress = new StdioTestContext()
    const quick = { ...respondsOnce, env: { WORD: word } }
    const mute = { ...shell('cat >/dev/null'), env: { WORD: word } }
    const open = () => ({
      descriptors: readdirSync('/proc/self/fd').length,
      resources: process.getActiveResourcesInfo().sort().join(),
      listeners: process.listenerCount('exit'),
    })
    const session = async (i: number): Promise<void> => {
      const transport = endpointAddress.transport(i % 4 === 0 ? mute : quick)
      const initialize = call(transport, 'initialize')
      if (i % 4 === 0) initialize.cancel()
      else await initialize.outcome
      transport.close()
    }
    await session(0)
    await session(1)
    await endpointAddress.children.none()
    await until(() => !process.getActiveResourcesInfo().includes('ProcessWrap'))
    const before = open()
    let next = 0
    const worker = async (): Promise<void> => {
      while (next < 1_000) await session(next++)
    }
    await Promise.all(Array.from({ length: 20 }, worker))
    await endpointAddress.children.none()
    assert.deepEqual(endpointAddress.children.counts(), { inAll: 0, byTarget: {} })
    await until(() => processesMarked(word).length === 0)
    // Closed resources are gone some turns of the event loop later.
    await until(() => isDeepStrictEqual(open(), before)).catch(() => undefined)
    assert.deepEqual(open(), before)
  })
})
