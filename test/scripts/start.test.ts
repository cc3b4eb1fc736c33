import assert from 'node:assert/strict'
import { cp, mkdir, mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { command } from '../support/command.ts'

test('npm start', async (t) => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'start-'))
  await cp('scripts', join(folder.path, 'scripts'), { recursive: true })
  await cp('package.json', join(folder.path, 'package.json'))
  await mkdir(join(folder.path, 'src'))
  await writeFile(join(folder.path, 'src/main.ts'), 'console.log(process.argv.slice(2).join(" "))')
  const start = async (...args: string[]) =>
    (await command('npm', ['start', '--silent', '--', ...args], { cwd: folder.path })).stdout.trim()

  await t.test('runs the configuration of the project', async () => {
    assert.equal(await start(), '-f config/gateway.yaml')
    assert.equal(await start('--validate-only'), '--validate-only -f config/gateway.yaml')
  })

  for (const other of [
    ['-f', 'my.yaml'],
    ['-fmy.yaml'],
    ['--file=my.yaml'],
    ['-c', '{}'],
    ['--config', '{}'],
  ]) {
    await t.test(`runs another one with ${other.join(' ')}`, async () => {
      assert.equal(await start(...other), other.join(' '))
    })
  }

  await t.test('finds the configuration that it runs', async () => {
    const { status, stderr } = await command('node', ['scripts/start.ts', '--validate-only'])
    assert.equal(status, 0, stderr)
  })
})
