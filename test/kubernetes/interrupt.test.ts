import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { cleanEnvironment } from '../support/command.ts'
import { eventually } from './lab/eventually.ts'
import { labProblem } from './lab/lab.ts'
import { type ProcessTree, processTree } from './processes/process-tree.ts'

const problem = labProblem()

/** A run of the lab's command line, in a process group of its own as in a terminal. */
const startRun = (name: string, ...line: readonly string[]) => {
  const folder = join(tmpdir(), `agentgateway-lab-${name}`)
  const child = spawn('npm', ['run', '--silent', ...line, '--name', name], {
    // This shell becomes what it runs, so that npm's signal reaches it, after that of the terminal.
    env: { ...cleanEnvironment(), npm_config_script_shell: 'bash' },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
  const exited = once(child, 'exit') as Promise<[code: number | null, signal: NodeJS.Signals | null]>
  const fileOf = (path: string) => {
    try {
      return readFileSync(join(folder, path), 'utf8')
    } catch {
      return ''
    }
  }
  return { child, exited, folder, fileOf, output: () => output }
}

const suite = ['conformance', '--', '--test', 'HTTPRouteWeight']

/** A terminal sends Ctrl-C to all programs in its foreground, and npm passes it on to what it runs. */
const pressCtrlC = ({ pid }: ChildProcess) => process.kill(-(pid ?? 0), 'SIGINT')

const mounts = () => readFileSync('/proc/self/mountinfo', 'utf8')

/** Nothing runs, no namespace is held by a mount, and no file is left. */
const assertGone = async (tree: ProcessTree, folder: string) => {
  await eventually('all processes have gone', () => tree.remaining().length === 0 || undefined)
  for (const name of tree.namespaces) assert.ok(!mounts().includes(name), name)
  assert.ok(!mounts().includes(folder))
  assert.equal(existsSync(folder), false)
}

test('Ctrl-C in a run of the conformance suite', { skip: problem, timeout: 280_000 }, async (t) => {
  await using stack = new AsyncDisposableStack()
  const start = (name: string, ...line: readonly string[]) => {
    const run = startRun(name, ...line)
    stack.defer(() => {
      // Whatever a test that fails has left.
      if (run.child.exitCode === null && run.child.signalCode === null)
        process.kill(-(run.child.pid ?? 0), 'SIGKILL')
      rmSync(run.folder, { recursive: true, force: true })
    })
    return run
  }
  /** The tree of a run, once it has programs. */
  const running = (run: ReturnType<typeof start>, ...programs: readonly string[]) =>
    eventually(
      `${programs.join()} are running`,
      () => {
        assert.equal(run.child.exitCode, null, run.output())
        const tree = processTree(run.child.pid ?? 0)
        return programs.every((name) => tree.programs.some((one) => one.startsWith(name))) ? tree : undefined
      },
      // The image of the project may have to be built before.
      120_000,
    )
  /** Until the suite has begun with its tests. */
  const tested = (run: ReturnType<typeof start>) =>
    eventually(
      'the suite runs',
      () => {
        assert.equal(run.child.exitCode, null, run.output())
        return run.fileOf('logs/suite.log').includes('=== RUN') || undefined
      },
      120_000,
    )
  const interrupt = async ({ child, exited, output }: ReturnType<typeof start>) => {
    pressCtrlC(child)
    const [code] = await exited
    assert.equal(code, 130, output())
    assert.doesNotMatch(output(), /^conformance: /m)
  }

  await t.test('ends the programs of a lab that is being started', async () => {
    const run = start('interrupted-start', ...suite)
    const tree = await running(run, 'etcd')
    await interrupt(run)
    await assertGone(tree, run.folder)
  })

  await t.test('ends the suite, the cluster and all pods', async () => {
    const run = start('interrupted-suite', ...suite)
    await tested(run)
    const tree = await running(run, 'etcd', 'kube-apiserver', 'kubelet', 'conformance', 'echo-basic')
    assert.ok([...tree.namespaces].filter((name) => name.startsWith('net:')).length > 2)
    await interrupt(run)
    await assertGone(tree, run.folder)
  })

  await t.test('ends the suite in a lab that another program runs, and then the lab', async () => {
    const lab = start('interrupted-lab', 'lab', '--', 'up')
    await eventually('the lab is up', () => lab.output().includes('The lab is up') || undefined, 120_000)
    const run = start('interrupted-lab', ...suite, '--running')
    await tested(run)
    await running(run, 'conformance')
    await interrupt(run)
    const tree = await running(lab, 'etcd', 'kubelet')
    await eventually(
      'the suite has ended',
      () => tree.remaining().every((one) => !one.includes(' conformance-')) || undefined,
    )
    pressCtrlC(lab.child)
    assert.deepEqual(await lab.exited, [0, null])
    await assertGone(tree, lab.folder)
  })
})
