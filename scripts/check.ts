/* Everything that has to hold: format, lint, types, generated files, the build, and the tests. Ends with one line of counts. */
import { spawnSync } from 'node:child_process'
import { availableParallelism } from 'node:os'
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

/** Runs one command after another: each would take both cores of a small machine anyway. */
const runCommands = (outcome: Outcome): void => {
  for (const [name, [command = '', ...args]] of Object.entries(commands)) {
    const began = performance.now()
    const { status, error } = spawnSync(command, args, { stdio: 'inherit' })
    const seconds = ((performance.now() - began) / 1000).toFixed(1)
    if (error) console.error(error)
    if (status === 0) outcome.passed++
    else outcome.failed++
    console.log(`${status === 0 ? '✔' : '✖'} ${name} (${seconds} s)`)
  }
}

const runTests = async (outcome: Outcome): Promise<void> => {
  const tests = run({
    globPatterns: ['test/**/*.test.ts', 'examples/**/*.test.ts'],
    concurrency: Math.min(availableParallelism(), 4),
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
runCommands(outcome)
await runTests(outcome)
for (const line of outcome.skipped) console.log(`not run: ${line}`)
console.log(`${outcome.passed} passed, ${outcome.failed} failed`)
process.exitCode = outcome.failed === 0 && outcome.passed > 0 ? 0 : 1
