import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempDisposable, readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

const module = new URL('../../bench/support/temporary-folder.ts', import.meta.url).href

/** The files left in the temporary directory of a program that creates folders and ends in some way. */
const leftBy = async (how: string, signal?: NodeJS.Signals): Promise<readonly string[]> => {
  await using temporary = await mkdtempDisposable(join(tmpdir(), 'left-'))
  const script = `import { temporaryFolder } from '${module}'
    import { writeFileSync } from 'node:fs'
    for (const name of ['a', 'b']) writeFileSync(temporaryFolder() + '/' + name, name)
    console.log('made')
    ${how}`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    env: { ...process.env, TMPDIR: temporary.path },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  await once(child.stdout, 'data')
  if (signal) {
    assert.equal((await readdir(temporary.path)).length, 2)
    child.kill(signal)
  }
  await once(child, 'close')
  if (signal) assert.equal(child.signalCode, signal)
  return await readdir(temporary.path)
}

test('a bench removes its folders from the temporary directory', async (t) => {
  await t.test('when it is done', async () => assert.deepEqual(await leftBy(''), []))
  await t.test('when it fails', async () => assert.deepEqual(await leftBy('throw new Error()'), []))
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    await t.test(`on ${signal}`, async () =>
      assert.deepEqual(await leftBy('setInterval(() => undefined, 1000)', signal), []),
    )
})
