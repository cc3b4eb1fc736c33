import assert from 'node:assert/strict'
import { cp, mkdir, mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { test } from 'node:test'
import { cleanEnvironment, command } from '../support/command.ts'

/** Runs `.ci/run` with a shell script as `npm`. */
const runCi = async (
  npm: string,
  others: Readonly<Record<string, string>> = {},
  files: readonly string[] = [],
) => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'ci-'))
  const programs = join(folder.path, 'programs')
  await mkdir(programs)
  await cp('.ci', join(folder.path, '.ci'), { recursive: true })
  for (const path of files) {
    await mkdir(dirname(join(folder.path, path)), { recursive: true })
    await writeFile(join(folder.path, path), '')
  }
  const installed = ['curl', 'nghttp', 'chromium', 'promtool', 'tmux', 'fish', 'zsh', 'nft', 'ip']
  for (const [name, script] of [
    ['npm', npm],
    ...installed.map((name) => [name, 'exit 0']),
    // Installing its packages would be the slowest step.
    ['python3', 'exit 1'],
    ...Object.entries(others),
  ] as const) {
    await writeFile(join(programs, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  }
  const PATH = `${programs}${delimiter}${cleanEnvironment().PATH ?? ''}`
  const { status, stdout } = await command(join(folder.path, '.ci/run'), [], { env: { PATH } })
  return { status, stdout, last: stdout.trimEnd().split('\n').at(-1) }
}

test('.ci/run', async (t) => {
  await t.test('installs from scratch and tests, with the command of the README', async () => {
    assert.match((await runCi('echo "npm got: $*"; echo "1 passed, 0 failed"')).stdout, /^npm got: cit$/m)
  })

  await t.test('prints the counts last, whatever npm prints after them', async () => {
    const { status, last } = await runCi('echo "3 passed, 0 failed"; echo "npm notice: a new version" >&2')
    assert.deepEqual([status, last], [0, '3 passed, 0 failed'])
  })

  await t.test('fails with the status of npm', async () => {
    const { status, last } = await runCi('echo "3 passed, 2 failed"; echo "npm error"; exit 1')
    assert.deepEqual([status, last], [1, '3 passed, 2 failed'])
  })

  await t.test('counts a failed install', async () => {
    const { status, last } = await runCi('echo "npm error network"; exit 0')
    assert.deepEqual([status, last], [1, '0 passed, 1 failed'])
  })

  const suite =
    'case "$*" in *test:kubernetes:ci*) echo "kubernetes: 11 passed, 4 failed"; exit 1;; *INFERENCE*) echo "conformance: 7 passed, 2 failed"; exit 1;; *conformance*) echo "conformance: 5 passed, 1 failed"; exit 1;; esac; echo "3 passed, 0 failed"'
  const root = { id: 'echo 0', go: 'exit 0' }

  await t.test('adds the counts of both conformance suites and of the tests in a cluster', async () => {
    const { status, last } = await runCi(suite, root, ['src/controller/main.ts'])
    assert.deepEqual([status, last], [1, '26 passed, 7 failed'])
  })

  await t.test('counts suites that end without counts', async () => {
    const npm = 'case "$*" in *conformance*|*test:kubernetes:ci*) exit 0;; esac; echo "3 passed, 0 failed"'
    const { status, last } = await runCi(npm, root, ['src/controller/main.ts'])
    assert.deepEqual([status, last], [1, '3 passed, 3 failed'])
  })

  await t.test('takes the counts of no suite for those of another', async () => {
    const npm = suite.replace('echo "conformance: 7 passed, 2 failed"; exit 1', 'exit 0')
    const { status, last } = await runCi(npm, root, ['src/controller/main.ts'])
    assert.deepEqual([status, last], [1, '19 passed, 6 failed'])
  })

  await t.test('says loudly that neither suites nor tests in a cluster did run', async () => {
    const { status, stdout, last } = await runCi(suite, { ...root, id: 'echo 1000' }, [
      'src/controller/main.ts',
    ])
    assert.match(
      stdout,
      /^#+ NOT RUN: the conformance suites and the tests of test\/kubernetes, because it needs root #+$/m,
    )
    assert.deepEqual([status, last], [0, '3 passed, 0 failed'])
  })

  await t.test('counts programs of the lab that cannot be built', async () => {
    const npm = 'case "$*" in *lab*) exit 1;; esac; echo "3 passed, 0 failed"'
    const { status, last } = await runCi(npm, root, ['src/controller/main.ts', 'test/kubernetes/lab/main.ts'])
    assert.deepEqual([status, last], [1, '3 passed, 1 failed'])
  })
})
