import assert from 'node:assert/strict'
import { resolve } from 'node:path'
import { suite, test } from 'node:test'
import { command } from './support/command.ts'

/** Allocates what survives, a little in each turn, and prints the size of the young generation, in MB. */
const program = `
import { getHeapSpaceStatistics } from 'node:v8'
import { limitYoungGeneration } from ${JSON.stringify(resolve('src/young-generation.ts'))}
const sizeMb = () => getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space').space_size / 2 ** 20
const fill = async () => {
  const kept = []
  for (let turn = 0; turn < 300; turn++) {
    for (let i = 0; i < 5_000; i++) kept.push({ i })
    await new Promise((done) => setImmediate(done))
  }
}
limitYoungGeneration(process.env)
await fill()
console.log(JSON.stringify(sizeMb()))
`

const sizeMb = async (env: Record<string, string>, ...flags: string[]) => {
  const { stdout, stderr } = await command('node', [...flags, '--input-type=module', '-e', program], { env })
  assert.equal(stderr, '')
  return Number(stdout)
}

suite('the young generation', () => {
  // The limit is soft: V8 may double the size once or twice before it is looked at again, and shrinks it when it can.
  test('stays far below what V8 would take', async () => {
    const size = await sizeMb({})
    assert.ok(size >= 8 && size <= 24, String(size))
  })

  test('has the limit that a variable names', async () => {
    const size = await sizeMb({ AGENTGATEWAY_MAX_SEMI_SPACE_SIZE: '1' })
    assert.ok(size < 16, String(size))
  })

  test('is left to V8 if the variable is 0, or if Node has a flag for it', async () => {
    const unlimited = await sizeMb({ AGENTGATEWAY_MAX_SEMI_SPACE_SIZE: '0' })
    assert.ok(unlimited >= 32, String(unlimited))
    const flagged = await sizeMb({}, '--max-semi-space-size=16')
    assert.ok(flagged >= 32, String(flagged))
    const named = await sizeMb({ NODE_OPTIONS: '--max-semi-space-size=2' })
    assert.ok(named <= 4, String(named))
  })
})
