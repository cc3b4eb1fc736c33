import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempDisposableSync,
  readFileSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { writeOtherVersion } from './lab/other-version.ts'
import { projectImage } from './lab/project-image.ts'

const historyProblem = () =>
  spawnSync('git', ['rev-parse', '--verify', 'HEAD']).status !== 0 && 'this is no clone of a repository'

const problem = process.platform !== 'linux' && 'the Kubernetes lab needs Linux'

test('the build context of another version differs by that', { skip: problem }, async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'other-version-'))
  await writeOtherVersion('9.9.9', folder.path)
  const manifestIn = (path: string) =>
    JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')) as { readonly version: string }
  assert.deepEqual(manifestIn(folder.path), { ...manifestIn('.'), version: '9.9.9' })
  for (const path of ['Dockerfile', 'package-lock.json', 'src/main.ts', 'config/gateway.yaml'])
    assert.equal(readFileSync(join(folder.path, path), 'utf8'), readFileSync(path, 'utf8'))
})

test('that of a commit has its files', { skip: problem || historyProblem() }, async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'other-commit-'))
  const of = (commit: string) => {
    process.env.LAB_OTHER_COMMIT = commit
    return writeOtherVersion('9.9.9', folder.path)
  }
  try {
    await of('HEAD')
    const read = (path: string) => readFileSync(join(folder.path, path), 'utf8')
    const committed = (path: string) => execFileSync('git', ['show', `HEAD:${path}`], { encoding: 'utf8' })
    for (const path of ['Dockerfile', 'package-lock.json', 'src/main.ts'])
      assert.equal(read(path), committed(path))
    const { version, name } = JSON.parse(read('package.json')) as Record<string, unknown>
    assert.deepEqual([version, name], ['9.9.9', 'agentgateway'])
    for (const commit of ['no-such-commit', '--output=written'])
      await assert.rejects(of(commit), /not a valid object name/)
    assert.ok(!existsSync('written'))
  } finally {
    delete process.env.LAB_OTHER_COMMIT
  }
})

test('the image of a lab', { skip: problem }, async (t) => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'project-image-'))
  const [context, runs, cache] = ['context', 'runs', 'cache'].map((name) => join(folder.path, name)) as [
    string,
    string,
    string,
  ]
  // Where images are kept, and where the tables of labs are.
  Object.assign(process.env, { XDG_CACHE_HOME: cache, TMPDIR: folder.path })
  const images = join(cache, 'agentgateway/kubernetes-lab')
  mkdirSync(join(context, 'settings'), { recursive: true })
  const write = (path: string, text: string) => writeFileSync(join(context, path), text)
  write('.dockerignore', '*\n!settings\n')
  write('settings/name', 'one')
  write('notes', 'for nobody')
  write(
    'Dockerfile',
    `FROM any AS build
WORKDIR /app
COPY settings settings
RUN echo run >> ${runs}
FROM any
WORKDIR /app
COPY --from=build /app ./
USER 10101:10101
ENTRYPOINT ["/app/run"]
CMD ["-f", "settings/name"]
`,
  )
  const nameIn = (root: string) => readFileSync(join(root, 'app/settings/name'), 'utf8')
  const timesRun = () => readFileSync(runs, 'utf8').length / 'run\n'.length

  await t.test('is built once by those who want it at the same time', async () => {
    const [one, other] = await Promise.all([projectImage(context), projectImage(context)])
    assert.deepEqual(one, other)
    assert.deepEqual([nameIn(one.root), timesRun()], ['one', 1])
    const { user, entrypoint, command, workdir } = one
    assert.deepEqual(
      [user, entrypoint, command, workdir],
      ['10101:10101', ['/app/run'], ['-f', 'settings/name'], '/app'],
    )
  })

  await t.test('is another one once a file has changed that is copied, and the first one stays', async () => {
    const first = await projectImage(context)
    write('notes', 'still for nobody')
    assert.deepEqual(await projectImage(context), first)
    write('settings/name', 'two')
    const second = await projectImage(context)
    assert.deepEqual([nameIn(first.root), nameIn(second.root), timesRun()], ['one', 'two', 2])
    write('settings/name', 'one')
    assert.deepEqual([await projectImage(context), timesRun()], [first, 2])
  })

  await t.test('is not there after a build that failed', async () => {
    const text = readFileSync(join(context, 'Dockerfile'), 'utf8')
    write('Dockerfile', text.replace('RUN echo', 'RUN exit 7 || echo'))
    await assert.rejects(projectImage(context), /exited with 7/)
    await assert.rejects(projectImage(context), /exited with 7/)
    write('Dockerfile', text)
    assert.equal(nameIn((await projectImage(context)).root), 'one')
  })

  await t.test('is removed once others were used later, unless a lab has it', async () => {
    const first = await projectImage(context)
    const lab = join(folder.path, 'agentgateway-lab-some')
    mkdirSync(lab)
    writeFileSync(join(lab, 'images.json'), JSON.stringify([{ mounts: { '/app': join(first.root, 'app') } }]))
    const later = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((letter) => join(images, `image-${letter}`))
    for (const path of [...later, join(images, 'image-unused')]) mkdirSync(path)
    const minutesAgo = (count: number) => new Date(Date.now() - count * 60_000)
    for (const path of [first.root, join(images, 'image-unused')])
      utimesSync(path, minutesAgo(60), minutesAgo(60))
    utimesSync(join(images, basename(join(first.root, '..'))), minutesAgo(90), minutesAgo(90))
    write('settings/name', 'three')
    const third = await projectImage(context)
    assert.deepEqual(
      [...later, first.root, third.root, join(images, 'image-unused')].filter((path) => !existsSync(path)),
      [join(images, 'image-unused')],
    )
  })
})
