import assert from 'node:assert/strict'
import { resolve } from 'node:path'
import { suite, test } from 'node:test'
import { command } from './support/command.ts'

/** Allocates what survives, a little in each turn, and prints the size of the young generation before and after "ready", in MB. */
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
const onReady = limitYoungGeneration(process.env)
await fill()
const before = sizeMb()
onReady()
await fill()
console.log(JSON.stringify([before, sizeMb()]))
`

const sizes = async (env: Record<string, string>, ...flags: string[]) => {
  const { stdout, stderr } = await command('node', [...flags, '--input-type=module', '-e', program], { env })
  assert.equal(stderr, '')
  return JSON.parse(stdout) as [number, number]
}

suite('the young generation', () => {
  // The limit is soft: V8 may double the size once or twice before it is looked at again, and shrinks it when it can.
  test('stays far below what V8 would take, before the program is ready and after', async () => {
    const [before, after] = await sizes({})
    assert.ok(before < 16 && after <= 24, `${before} ${after}`)
  })

  test('has the limit that a variable names', async () => {
    const [before, after] = await sizes({ AGENTGATEWAY_MAX_SEMI_SPACE_SIZE: '1' })
    assert.ok(before < 16 && after < 16, `${before} ${after}`)
  })

  test('is left to V8 if the variable is 0, or if Node has a flag for it', async () => {
    const [before] = await sizes({ AGENTGATEWAY_MAX_SEMI_SPACE_SIZE: '0' })
    assert.ok(before >= 16, String(before))
    const [, flagged] = await sizes({}, '--max-semi-space-size=16')
    assert.ok(flagged >= 16, String(flagged))
    const [, named] = await sizes({ NODE_OPTIONS: '--max-semi-space-size=2' })
    assert.ok(named <= 4, String(named))
  })
})
