import assert from 'node:assert/strict'
import { cp, mkdir, mkdtempDisposable, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { test, type TestContext } from 'node:test'
import { pathToFileURL } from 'node:url'
import { gitRevision } from '../src/git-revision.ts'
import { command } from './support/command.ts'

const git = async (cwd: string, ...args: string[]): Promise<string> => {
  const author = ['-c', 'user.name=a', '-c', 'user.email=a@b.test', '-c', 'commit.gpgsign=false']
  const { status, stdout, stderr } = await command('git', [...author, ...args], { cwd })
  assert.equal(status, 0, stderr)
  return stdout.trim()
}

/** A repository with one commit, and sources at the path of a checkout. */
const checkout = async (t: TestContext) => {
  const folder = await mkdtempDisposable(join(tmpdir(), 'revision-'))
  t.after(() => folder.remove())
  const path = join(folder.path, 'project')
  await mkdir(join(path, 'src'), { recursive: true })
  await writeFile(join(path, 'src/version.ts'), '')
  await git(path, 'init', '--quiet', '--initial-branch', 'main')
  await git(path, 'add', '.')
  await git(path, 'commit', '--quiet', '--message', 'one')
  return { path, folder: folder.path, head: await git(path, 'rev-parse', 'HEAD') }
}
const revisionOf = (path: string) => gitRevision(pathToFileURL(`${path}/`))

test('the git revision of a checkout', async (t) => {
  await t.test('is that of its branch, packed or not', async (t) => {
    const { path, head } = await checkout(t)
    assert.equal(revisionOf(path), head)
    await git(path, 'pack-refs', '--all')
    assert.equal(revisionOf(path), head)
  })

  await t.test('is the detached commit', async (t) => {
    const { path, head } = await checkout(t)
    await git(path, 'checkout', '--quiet', '--detach')
    assert.equal(revisionOf(path), head)
  })

  await t.test('is found from a worktree', async (t) => {
    const { path, folder, head } = await checkout(t)
    await git(path, 'worktree', 'add', '--quiet', '-b', 'other', '../tree')
    assert.equal(revisionOf(join(folder, 'tree')), head)
  })

  await t.test('ignores an earlier build', async (t) => {
    const { path, head } = await checkout(t)
    await mkdir(join(path, 'dist'))
    await writeFile(join(path, 'dist/revision'), 'earlier\n')
    assert.equal(revisionOf(path), head)
  })
})

test('a package has the commit that it was built from, or none', async (t) => {
  const { path } = await checkout(t)
  await rm(join(path, 'src'), { recursive: true })
  assert.equal(revisionOf(path), undefined)
  await mkdir(join(path, 'dist'))
  await writeFile(join(path, 'dist/revision'), 'abc\n')
  assert.equal(revisionOf(path), 'abc')
})

test('a build stores its commit', async (t) => {
  const write = async (cwd: string, env: Record<string, string> = {}) => {
    await mkdir(join(cwd, 'dist'), { recursive: true })
    const { status, stderr } = await command('node', [resolve('scripts/write-revision.cjs')], { cwd, env })
    assert.equal(status, 0, stderr)
    return readFile(join(cwd, 'dist/revision'), 'utf8').catch(() => undefined)
  }
  const { path, folder, head } = await checkout(t)
  await writeFile(join(path, '.gitignore'), 'dist/\n')
  await git(path, 'add', '.')
  await git(path, 'commit', '--quiet', '--amend', '--no-edit')
  const amended = await git(path, 'rev-parse', 'HEAD')
  assert.notEqual(amended, head)
  assert.equal(await write(path), `${amended}\n`)
  await writeFile(join(path, 'src/version.ts'), 'changed')
  assert.equal(await write(path), `${amended}-dirty\n`)
  assert.equal(await write(path, { AGENTGATEWAY_GIT_REVISION: 'given' }), 'given\n')
  // Without a repository, and within another one.
  await cp(join(path, 'src'), join(folder, 'plain/src'), { recursive: true })
  assert.equal(await write(join(folder, 'plain')), undefined)
  await rm(join(path, 'dist'), { recursive: true })
  assert.equal(await write(join(path, 'src')), undefined)
})
