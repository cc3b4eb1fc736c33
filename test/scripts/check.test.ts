import assert from 'node:assert/strict'
import { mkdir, mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { test } from 'node:test'
import { command } from '../support/command.ts'

const check = resolve('scripts/check.ts')
const fine = 'node -e 0 --'
const scripts = { 'format:check': fine, 'lint-and-types': fine, generate: fine }

/** Runs the checks in a project with these scripts and this test file. */
const checkProject = async (
  replaced: Partial<typeof scripts>,
  tests: string,
  env: Record<string, string> = {},
  more: Record<string, string> = {},
) => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'check-'))
  await mkdir(join(folder.path, 'test'))
  await writeFile(join(folder.path, 'package.json'), JSON.stringify({ scripts: { ...scripts, ...replaced } }))
  await writeFile(join(folder.path, 'test/a.test.ts'), `import { test } from 'node:test'\n${tests}`)
  for (const [path, text] of Object.entries(more)) {
    await mkdir(dirname(join(folder.path, path)), { recursive: true })
    await writeFile(join(folder.path, path), `import { test } from 'node:test'\n${text}`)
  }
  const { status, stdout } = await command('node', [check], { cwd: folder.path, env })
  return { status, stdout, last: stdout.trimEnd().split('\n').at(-1) }
}

test('npm test', async (t) => {
  await t.test('counts commands and tests together', async () => {
    const { status, last } = await checkProject({}, `test('a', () => {})\ntest('b', () => {})`)
    assert.deepEqual([status, last], [0, '5 passed, 0 failed'])
  })

  await t.test('fails if a command fails, and runs the rest', async () => {
    const { status, last } = await checkProject(
      { 'lint-and-types': 'node -e "process.exit(2)"' },
      `test('a', () => {})`,
    )
    assert.deepEqual([status, last], [1, '3 passed, 1 failed'])
  })

  await t.test('fails if a test fails, is cancelled, or its file does not load', async () => {
    const failing = `test('a', () => { throw new Error('no') })\ntest('b', { timeout: 10 }, () => new Promise((r) => setTimeout(r, 40)))`
    const { status, last } = await checkProject({}, failing)
    assert.deepEqual([status, last], [1, '3 passed, 2 failed'])
    const broken = await checkProject({}, `import './absent.ts'`)
    assert.deepEqual([broken.status, broken.last], [1, '3 passed, 1 failed'])
  })

  await t.test('ends a test file that leaves handles open, and lists them', async () => {
    const leaking = `test('a', () => {})\nsetInterval(() => {}, 1000)`
    const { status, stdout, last } = await checkProject({}, leaking, { TEST_FILE_LIMIT_MS: '10000' })
    assert.deepEqual([status, last], [1, '4 passed, 1 failed'])
    assert.match(stdout, /a\.test\.ts did not end within 10000 ms; still open: .*Timeout/)
  })

  await t.test('ends child processes of such a file', async () => {
    const sleeper = `spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])`
    const leaking = `import { spawn } from 'node:child_process'\ntest('a', () => console.log('child ' + ${sleeper}.pid))`
    const { stdout } = await checkProject({}, leaking, { TEST_FILE_LIMIT_MS: '10000' })
    const pid = Number(/^child (\d+)$/m.exec(stdout)?.[1])
    assert.ok(pid > 0, stdout)
    // Gone, or a zombie without an init process.
    assert.match((await command('ps', ['-o', 'stat=', '-p', String(pid)])).stdout, /^Z|^$/)
  })

  await t.test(
    'runs the files of a folder without processes in one process, and names the file of a failure',
    async () => {
      const told = `test('a', () => console.log('run by ' + process.pid))`
      const failing = `test('b', () => { throw new Error('no') })`
      const { stdout, last } = await checkProject(
        {},
        told,
        {},
        {
          'test/model/one.test.ts': told,
          'test/model/two.test.ts': `${told}\n${failing}`,
        },
      )
      assert.equal(last, '6 passed, 1 failed')
      const [first = ''] = stdout.split('SECOND ATTEMPT')
      const runners = Array.from(first.matchAll(/^run by (\d+)$/gm), ([, pid]) => pid)
      assert.deepEqual([runners.length, new Set(runners).size], [3, 2])
      assert.match(first, /^test at test\/model\/two\.test\.ts:3:1$/m)
    },
  )

  await t.test('lists skipped tests, and the reasons', async () => {
    const { status, stdout, last } = await checkProject(
      {},
      `test('a', () => {})\ntest('b', { skip: 'no curl' }, () => {})`,
    )
    assert.deepEqual([status, last], [0, '4 passed, 0 failed'])
    assert.match(stdout, /^not run: b \(.*a\.test\.ts\): no curl$/m)
  })

  await t.test('repeats a file that failed, alone, and says so', async () => {
    const onlyOnce = `import { existsSync, writeFileSync } from 'node:fs'
      test('a', () => {})
      test('b', () => {
        if (existsSync('ran')) return
        writeFileSync('ran', '')
        throw new Error('no')
      })`
    const { status, stdout, last } = await checkProject({}, onlyOnce)
    assert.deepEqual([status, last], [0, '5 passed, 0 failed'])
    assert.match(stdout, /^#+ SECOND ATTEMPT: test\/a\.test\.ts #+$/m)
    assert.match(stdout, /^passed at the second attempt only: test\/a\.test\.ts$/m)
  })

  await t.test('counts the first attempt if the second one fails too', async () => {
    const { status, stdout, last } = await checkProject({}, `test('a', () => { throw new Error('no') })`)
    assert.deepEqual([status, last], [1, '3 passed, 1 failed'])
    assert.match(stdout, /SECOND ATTEMPT/)
    assert.doesNotMatch(stdout, /at the second attempt only/)
  })

  await t.test('repeats no more than three files', async () => {
    const failing = `test('a', () => { throw new Error('no') })`
    const more = Object.fromEntries(['b', 'c', 'd'].map((name) => [`test/${name}.test.ts`, failing]))
    const { status, stdout, last } = await checkProject({}, failing, {}, more)
    assert.deepEqual([status, last], [1, '3 passed, 4 failed'])
    assert.doesNotMatch(stdout, /SECOND ATTEMPT/)
  })
})
