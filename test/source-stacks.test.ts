import assert from 'node:assert/strict'
import { mkdtempDisposableSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { rolldown } from 'rolldown'
import { command } from './support/command.ts'

const program = `
import { nameSourcesInStacks } from ${JSON.stringify(resolve('src/source-stacks.ts'))}
nameSourcesInStacks()
interface Removed {
  readonly a: number
}
const fail = (given: Removed): never => {
  throw new TypeError(\`failed with \${given.a}\`)
}
class Later {
  async run(): Promise<void> {
    await Promise.resolve()
    fail({ a: 1 })
  }
}
const unprintable = new Error()
Object.defineProperty(unprintable, 'message', { get: () => { throw new Error('again') } })
console.log(String(unprintable.stack).split('\\n')[0])
console.log(String(new Error('plain', { cause: 1 }).stack))
await new Later().run().catch((error: unknown) => console.log((error as Error).stack))
`

test('stacks of a bundle name the sources', async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'stacks with spaces-'))
  const source = join(folder.path, 'program.ts')
  writeFileSync(source, program)
  const bundle = await rolldown({ input: source, platform: 'node' })
  await bundle.write({ file: join(folder.path, 'dist/bundle.js'), sourcemap: true })
  await bundle.close()
  writeFileSync(join(folder.path, 'package.json'), '{ "type": "module" }')
  const { stdout, stderr } = await command('node', [join(folder.path, 'dist/bundle.js')])
  assert.equal(stderr, '')
  const lines = stdout.split('\n')
  assert.equal(lines[0], '<error>')
  assert.deepEqual(lines.slice(1, 3), ['Error: plain', `    at ${source}:19:20`])
  const failed = lines.slice(lines.indexOf('TypeError: failed with 1'))
  assert.equal(failed[1], `    at fail (${source}:8:9)`)
  assert.match(failed[2]!, /^ {4}at Later\.run \(/)
  assert.ok(failed[2]!.includes(`${source}:13:`), failed[2])
})
