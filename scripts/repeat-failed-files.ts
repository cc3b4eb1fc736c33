/* A second attempt for the few test files that failed beside others. */
import { relative } from 'node:path'
import { runTestFiles, type TestCounts, type TestRun } from './run-test-files.ts'

/** More failed files are no accident of timing. */
const MAX_FILES = 3

/** What the files had in the end. */
export interface RepeatedCounts extends TestCounts {
  /** Files that failed beside others and passed alone. */
  readonly flakyFiles: readonly string[]
}

/**
 * Runs the files. Those that failed run once more, one at a time, if they are few. If all of them pass then, their
 * failed tests count as passed, and `flakyFiles` names them; otherwise the first result stands.
 */
export const runRepeatingFailedFiles = async (run: TestRun): Promise<RepeatedCounts> => {
  const first = await runTestFiles(run)
  const files = first.failedFiles
  if (files.length === 0 || files.length > MAX_FILES) return { ...first, flakyFiles: [] }
  const names = files.map((file) => relative(process.cwd(), file))
  console.log(`######## SECOND ATTEMPT: ${names.join(', ')} ########`)
  const second = await runTestFiles({ ...run, files, concurrency: 1 })
  if (second.failed > 0 || second.passed === 0) return { ...first, flakyFiles: [] }
  return { ...first, passed: first.passed + first.failed, failed: 0, failedFiles: [], flakyFiles: names }
}
