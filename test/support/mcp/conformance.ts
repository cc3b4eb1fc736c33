import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { command } from '../command.ts'

/**
 * The result of a run of the conformance suite, check by check: `scenario: check`, sorted, repeated where the suite
 * does.
 */
export interface Verdict {
  readonly passed: readonly string[]
  readonly failed: readonly string[]
  /** Recommendations not followed. */
  readonly warned: readonly string[]
  /** The reasons of failed checks. */
  readonly because: Readonly<Record<string, string>>
}

interface Check {
  readonly name: string
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO'
  readonly errorMessage?: string
}

const program = new URL(
  '../../../node_modules/@modelcontextprotocol/conformance/dist/index.js',
  import.meta.url,
).pathname

/** Runs the required and the recommended checks for servers of a revision. */
export const conformance = async (url: string, revision: '2025-11-25' | '2026-07-28'): Promise<Verdict> => {
  const folder = mkdtempSync(join(tmpdir(), 'conformance-'))
  try {
    const { stdout, stderr } = await command(process.execPath, [
      ...[program, 'server', '--url', url, '--requirements', revision, '-o', folder],
    ])
    const checks = readdirSync(folder).flatMap((run) => checksOf(folder, run))
    if (!stdout.includes('=== SUMMARY ==='))
      throw new Error(`the suite did not end well:\n${stdout}${stderr}`)
    const named = (status: Check['status']) =>
      checks
        .filter((check) => check.status === status)
        .map(({ name }) => name)
        .sort()
    return {
      passed: named('SUCCESS'),
      failed: named('FAILURE'),
      warned: named('WARNING'),
      because: Object.fromEntries(
        checks.flatMap(({ name, errorMessage }) =>
          errorMessage === undefined ? [] : [[name, errorMessage]],
        ),
      ),
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** @returns Entries that are in one list and not in the other, repetitions counted. */
export const beyond = (list: readonly string[], other: readonly string[]): readonly string[] => {
  const left = [...other]
  return list.filter((one) => {
    const at = left.indexOf(one)
    if (at >= 0) left.splice(at, 1)
    return at < 0
  })
}

/** Folders have the names `server-SCENARIO-TIME`. */
const checksOf = (folder: string, run: string): readonly Check[] => {
  const scenario = run.replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT[-\dZ]+$/, '')
  const checks = JSON.parse(readFileSync(join(folder, run, 'checks.json'), 'utf8')) as Check[]
  return checks.map((check) => ({ ...check, name: `${scenario}: ${check.name}` }))
}
