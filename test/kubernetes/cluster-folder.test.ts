import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import { test } from 'node:test'
import { makeClusterFolder } from './lab/cluster-folder.ts'

const killed = `import { makeClusterFolder } from './test/kubernetes/lab/cluster-folder.ts'
process.stdout.write(makeClusterFolder(), () => process.kill(process.pid, 'SIGKILL'))`

test('the folder of a process that was killed goes when the next one is made', () => {
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', killed], { encoding: 'utf8' })
  assert.ok(existsSync(stdout))
  const [one, two] = [makeClusterFolder(), makeClusterFolder()]
  assert.equal(existsSync(stdout), false)
  assert.ok(existsSync(one))
  for (const folder of [one, two]) rmSync(folder, { recursive: true })
})
