import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runWithInput } from './lab/run-with-input.ts'

/** More than a pipe takes. */
const long = 'x'.repeat(10_000_000)

test('a program with an input', async (t) => {
  await t.test('reads all of it', async () => {
    assert.equal(await runWithInput('cat', [], long), long)
  })

  await t.test('that ends before it has read it fails with its own status and words', async () => {
    await assert.rejects(runWithInput('sh', ['-c', 'echo no such file >&2; exit 7'], long), {
      code: 7,
      stderr: 'no such file\n',
    })
  })

  await t.test('that needs none of it succeeds', async () => {
    assert.equal(await runWithInput('echo', ['done'], long), 'done\n')
  })
})
