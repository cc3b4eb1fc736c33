import assert from 'node:assert/strict'
import { cp, mkdtempDisposable, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { command } from '../support/command.ts'

const compilerOptions = { module: 'nodenext', target: 'es2024', strict: true, noEmit: true, types: [] }

test('npm run lint-and-types reports type errors, and violations of type-aware rules', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'lint-'))
  await cp('eslint.config.js', join(folder.path, 'eslint.config.js'))
  await symlink(resolve('node_modules'), join(folder.path, 'node_modules'))
  for (const [name, text] of Object.entries({
    'package.json': '{ "type": "module" }',
    'tsconfig.json': JSON.stringify({ compilerOptions }),
    'wrong.ts': `export const wrong: number = 'text'\n`,
    'broken.ts': 'export const broken = 1\nPromise.resolve(broken)\n',
    'sound.ts': 'export const sound: number = Math.PI\n',
  })) {
    await writeFile(join(folder.path, name), text)
  }
  const { status, stdout } = await command('node', [resolve('scripts/lint-and-types.ts')], {
    cwd: folder.path,
  })
  assert.equal(status, 1)
  assert.match(stdout, /wrong\.ts.*TS2322/)
  assert.match(stdout, /broken\.ts\n.*no-floating-promises/)
  assert.doesNotMatch(stdout, /sound\.ts/)
})
