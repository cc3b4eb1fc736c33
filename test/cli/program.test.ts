import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runAgctlProgram } from '../support/cli/agctl.ts'

test('agctl', { concurrency: 2 }, async (t) => {
  await t.test('prints its version as JSON', async () => {
    const { code, stdout } = await runAgctlProgram(['version'])
    assert.equal(code, 0)
    assert.match((JSON.parse(stdout) as { version: string }).version, /^\d+\.\d+\.\d+/)
  })

  await t.test('prints help on standard output and exits with 0', async () => {
    const { code, stdout, stderr } = await runAgctlProgram(['--help'])
    assert.deepEqual([code, stderr], [0, ''])
    assert.match(stdout, /^Usage: agctl/)
  })

  await t.test('exits with 2 for an unknown command', async () => {
    const { code, stdout, stderr } = await runAgctlProgram(['nope'])
    assert.deepEqual([code, stdout], [2, ''])
    assert.match(stderr, /unknown command 'nope'/)
  })
})
