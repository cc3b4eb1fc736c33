import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { cp, mkdir, mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { cleanEnvironment, command } from '../support/command.ts'

const onNode = resolve('scripts/on-node.cjs')
const program = `console.log(JSON.stringify([process.argv[1], process.argv.slice(2) as string[]]))
if (process.argv[2] === 'throw') throw new Error('broke')`

const waiting = `const timer = setInterval(() => undefined, 1000)
process.once('SIGTERM', (signal) => { console.log('got ' + signal); clearInterval(timer) })
console.log('up ' + JSON.stringify(process.argv.slice(2)))`

/** Makes Node report another version. */
const pretend = (version: string) =>
  `data:text/javascript,Object.defineProperty(process,'versions',{value:{...process.versions,node:'${version}'}})`

test('scripts/on-node.cjs', async (t) => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'on-node-'))
  const file = join(folder.path, 'program.ts')
  await writeFile(file, program)

  await t.test('runs a file with its arguments, like Node itself', async () => {
    const { status, stdout, stderr } = await command('node', [onNode, file, '-f', 'a b'])
    assert.deepEqual([status, stdout, stderr], [0, `${JSON.stringify([file, ['-f', 'a b']])}\n`, ''])
  })

  await t.test('fails if the file throws', async () => {
    const { status, stderr } = await command('node', [onNode, file, 'throw'])
    assert.equal(status, 1)
    assert.match(stderr, /Error: broke/)
  })

  for (const version of ['18.20.8', '20.20.2', '22.18.0']) {
    await t.test(`refuses Node ${version} in one sentence`, async () => {
      const { status, stdout, stderr } = await command('node', ['--import', pretend(version), onNode, file])
      assert.deepEqual([status, stdout], [1, ''])
      const sentence = `agentgateway needs Node 22.19 or newer and this is ${version}: run "npm ci" without --ignore-scripts, `
      assert.equal(stderr, `${sentence}which brings its own Node, or install a newer one.\n`)
    })
  }

  for (const version of ['22.19.0', '24.0.0']) {
    await t.test(`accepts Node ${version}`, async () => {
      assert.equal((await command('node', ['--import', pretend(version), onNode, file])).status, 0)
    })
  }

  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> }

  await t.test('is the prefix of start, test, bench and generate', () => {
    for (const name of ['start', 'test', 'bench', 'generate']) {
      assert.match(scripts[name]!, /^(exec )?node scripts\/on-node\.cjs \S+\.ts$/)
    }
  })

  await t.test('leaves no shell between npm and the daemon that would swallow signals', async () => {
    const project = join(folder.path, 'project')
    await cp(onNode, join(project, 'scripts/on-node.cjs'))
    await cp('scripts/start.ts', join(project, 'scripts/start.ts'))
    await writeFile(join(project, 'package.json'), JSON.stringify({ scripts }))
    await mkdir(join(project, 'src'))
    await writeFile(join(project, 'src/main.ts'), waiting)
    const child = spawn('npm', ['start', '--', '-f', 'a b'], {
      cwd: project,
      env: cleanEnvironment(),
      stdio: 'pipe',
    })
    const printed: string[] = []
    createInterface(child.stdout).on('line', (line) => {
      printed.push(line)
      if (line.startsWith('up ')) child.kill('SIGTERM')
    })
    const [status] = (await once(child, 'close')) as [number | null]
    assert.deepEqual(printed.slice(-2), ['up ["-f","a b"]', 'got SIGTERM'])
    assert.equal(status, 0)
  })
})
