/* Runs test files, prints what they report, and counts. */
import { resolve } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'

/** Which files run, and how. */
export interface TestRun {
  readonly files: readonly string[]
  readonly concurrency: number
  /** A file that takes longer hangs, and must not delay the report of the others. */
  readonly fileLimitMs: number
}

/** What the files had. */
export interface TestCounts {
  readonly passed: number
  readonly failed: number
  /** Those with failed tests, and those that did not end as they should. */
  readonly failedFiles: readonly string[]
  /** Tests that did not run, with their files and the reasons. */
  readonly skipped: readonly string[]
}

/** Runs the files, each in a process, and prints the report. */
export const runTestFiles = async ({ files, concurrency, fileLimitMs }: TestRun): Promise<TestCounts> => {
  let [passed, failed] = [0, 0]
  const all = new Set(files.map((file) => resolve(file)))
  const failedFiles = new Set<string>()
  const skipped: string[] = []
  const tests = run({
    files: [...files],
    concurrency,
    timeout: fileLimitMs,
    execArgv: [
      // Examples import the package by its name, and get its sources.
      '--conditions=agentgateway-source',
      `--import=${new URL('end-test-file.ts', import.meta.url).href}`,
    ],
  })
  tests.on('test:summary', ({ file, counts, success }) => {
    if (file !== undefined) {
      if (!success) failedFiles.add(file)
      return
    }
    passed += counts.passed
    failed += counts.tests - counts.passed - counts.skipped - counts.todo
  })
  // A file that does not load, or is ended, has no summary: it is reported as a test.
  tests.on('test:fail', ({ name }) => {
    const file = resolve(name)
    if (all.has(file)) failedFiles.add(file)
  })
  tests.on('test:pass', ({ name, skip, todo, file }) => {
    const reason = skip ?? todo
    if (reason !== undefined) skipped.push(`${name} (${file ?? 'no file'}): ${String(reason)}`)
  })
  const report = tests.compose(spec)
  report.pipe(process.stdout)
  await new Promise<void>((resolve, reject) => report.once('end', resolve).once('error', reject))
  return { passed, failed, failedFiles: [...failedFiles], skipped }
}
