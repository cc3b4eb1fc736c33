/* Everything that has to hold: format, lint, types, generated files, the build, and the tests. Ends with one line of counts. */
import { spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'

/** How many checks held, how many did not, and the tests that did not run, each with its reason. */
interface Outcome {
  passed: number
  failed: number
  readonly skipped: string[]
}

const commands: Readonly<Record<string, readonly string[]>> = {
  format: ['npm', 'run', '--silent', 'format:check'],
  lint: ['npm', 'run', '--silent', 'lint'],
  types: ['npm', 'run', '--silent', 'typecheck'],
  'generated files': ['npm', 'run', '--silent', 'generate', '--', '--check'],
  build: ['npm', 'run', '--silent', 'build'],
}

/** A file that takes longer hangs: it must not keep the others' results from being told. */
const FILE_LIMIT_MS = 240_000

/** Runs a command, and takes down how it went. */
const runCommand = async (outcome: Outcome, name: string): Promise<void> => {
  const [command = '', ...args] = commands[name] ?? []
  const began = performance.now()
  const status = await new Promise<number | null>((resolve) => {
    spawn(command, args, { stdio: 'inherit' })
      .once('error', (error) => {
        console.error(error)
        resolve(1)
      })
      .once('exit', resolve)
  })
  const seconds = ((performance.now() - began) / 1000).toFixed(1)
  if (status === 0) outcome.passed++
  else outcome.failed++
  console.log(`${status === 0 ? '✔' : '✖'} ${name} (${seconds} s)`)
}

/** Runs the longest command beside the others, each of which uses one core. */
const runCommands = async (outcome: Outcome): Promise<void> => {
  const inTurn = async (names: readonly string[]): Promise<void> => {
    for (const name of names) await runCommand(outcome, name)
  }
  const others = Object.keys(commands).filter((name) => name !== 'lint')
  await Promise.all([inTurn(['lint']), inTurn(others)])
}

const runTests = async (outcome: Outcome): Promise<void> => {
  // Hundreds of programs start from the same sources: compiled once, each starts with half of the work.
  process.env.NODE_COMPILE_CACHE ??= join(process.cwd(), 'node_modules', '.cache', 'compile')
  const tests = run({
    globPatterns: ['test/**/*.test.ts', 'examples/**/*.test.ts'],
    // Many files wait for processes that they start.
    concurrency: Math.min(availableParallelism() + 1, 4),
    timeout: FILE_LIMIT_MS,
    execArgv: [
      // Examples import the package by its name, as a user does, and get its sources.
      '--conditions=agentgateway-source',
      `--import=${new URL('end-test-file.ts', import.meta.url).href}`,
    ],
  })
  tests.on('test:summary', ({ file, counts }) => {
    if (file !== undefined) return
    outcome.passed += counts.passed
    outcome.failed += counts.tests - counts.passed - counts.skipped - counts.todo
  })
  tests.on('test:pass', ({ name, skip, todo, file }) => {
    const reason = skip ?? todo
    if (reason !== undefined) outcome.skipped.push(`${name} (${file ?? 'no file'}): ${String(reason)}`)
  })
  const report = tests.compose(spec)
  report.pipe(process.stdout)
  await new Promise<void>((resolve, reject) => report.once('end', resolve).once('error', reject))
}

const outcome: Outcome = { passed: 0, failed: 0, skipped: [] }
await runCommands(outcome)
await runTests(outcome)
for (const line of outcome.skipped) console.log(`not run: ${line}`)
console.log(`${outcome.passed} passed, ${outcome.failed} failed`)
process.exitCode = outcome.failed === 0 && outcome.passed > 0 ? 0 : 1
