/* All checks: format, lint, types, generated files, and the tests. Ends with one line of counts. */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { daemonInOneFile } from './daemon-in-one-file.ts'
import { runRepeatingFailedFiles } from './repeat-failed-files.ts'
import { testFiles } from './test-files.ts'

/** Counts of passed and failed checks, the failed commands, the skipped tests with reasons, and the flaky files. */
interface Outcome {
  passed: number
  failed: number
  readonly broken: string[]
  readonly skipped: string[]
  readonly flaky: string[]
}

/** Tests of the package and of the image build it themselves, so that no command has to. */
const commands: Record<string, readonly string[]> = {
  'lint and types': ['npm', 'run', '--silent', 'lint-and-types'],
  format: ['npm', 'run', '--silent', 'format:check'],
  'generated files': ['npm', 'run', '--silent', 'generate', '--', '--check'],
}

/** Minutes of the soak test. Its load leaves most of a core to the tests. */
if (existsSync('soak/main.ts'))
  commands['soak test'] = ['node', 'scripts/on-node.cjs', 'soak/main.ts', '--minutes', '2']

/** A file that takes longer hangs, and must not delay the report of the others. */
const FILE_LIMIT_MS = 600_000

/** Runs a command, records its result, and prints its output in one piece: tests report at the same time. */
const runCommand = async (outcome: Outcome, name: string): Promise<void> => {
  const [command = '', ...args] = commands[name] ?? []
  const began = performance.now()
  let said = ''
  const status = await new Promise<number | null>((resolve) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] })
    child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text))
    child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text))
    child
      .once('error', (error) => {
        console.error(error)
        resolve(1)
      })
      .once('close', resolve)
  })
  const seconds = ((performance.now() - began) / 1000).toFixed(1)
  if (status === 0) outcome.passed++
  else {
    outcome.failed++
    outcome.broken.push(name)
  }
  console.log(`${said}${status === 0 ? '✔' : '✖'} ${name} (${seconds} s)`)
}

/** Sequential: together with the tests, this occupies the cores of a small machine. */
const runCommands = async (outcome: Outcome): Promise<void> => {
  for (const name of Object.keys(commands)) await runCommand(outcome, name)
}

const cache = join(process.cwd(), 'node_modules', '.cache')

const runTests = async (outcome: Outcome): Promise<void> => {
  // Hundreds of programs start from the same sources: with compiled ones each start is half the work.
  process.env.NODE_COMPILE_CACHE ??= join(cache, 'compile')
  // The projects on which the tests run this program have no daemon.
  if (existsSync('src/main.ts')) process.env.DAEMON_IN_ONE_FILE = await daemonInOneFile(join(cache, 'daemon'))
  const { passed, failed, skipped, flakyFiles } = await runRepeatingFailedFiles({
    files: testFiles(join(cache, 'tests')),
    // Many files wait for child processes.
    concurrency: Math.min(availableParallelism() + 2, 6),
    fileLimitMs: FILE_LIMIT_MS,
  })
  outcome.passed += passed
  outcome.failed += failed
  outcome.skipped.push(...skipped)
  outcome.flaky.push(...flakyFiles)
}

const outcome: Outcome = { passed: 0, failed: 0, broken: [], skipped: [], flaky: [] }
await Promise.all([runCommands(outcome), runTests(outcome)])
for (const name of outcome.broken) console.log(`✖ ${name}: see above`)
for (const line of outcome.skipped) console.log(`not run: ${line}`)
for (const file of outcome.flaky) console.log(`passed at the second attempt only: ${file}`)
console.log(`${outcome.passed} passed, ${outcome.failed} failed`)
process.exitCode = outcome.failed === 0 && outcome.passed > 0 ? 0 : 1
