import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { LabAccess } from './lab/lab.ts'

interface Pod {
  readonly metadata: { readonly name: string; readonly deletionTimestamp?: string }
  readonly status: { readonly podIP: string }
}

/** The versions that the programs in pods report with their metrics, those that are ending aside. */
export const runningVersions = async (
  lab: LabAccess,
  namespace: string,
  selector: string,
  metricsPort: number,
): Promise<readonly string[]> => {
  const pods = await lab.kubectl(['get', 'pods', '-n', namespace, '-l', selector, '-o', 'json'])
  const { items } = JSON.parse(pods) as { readonly items: readonly Pod[] }
  const running = items.filter(({ metadata }) => metadata.deletionTimestamp === undefined)
  assert.ok(running.length > 0, `no pods ${selector}`)
  const versions = running.map(async ({ metadata, status }) => {
    const url = `http://${status.podIP}:${metricsPort}/metrics`
    const [program = '', ...args] = lab.enter(['curl', '-sSf', '-m', '5', url])
    const { stdout } = await promisify(execFile)(program, args, { maxBuffer: 16 << 20 })
    const [, version] = /_build_info\{(?:[^}]*,)?(?:tag|version)="([^"]+)"/.exec(stdout) ?? []
    assert.ok(version !== undefined, `${metadata.name} reports no version`)
    return version
  })
  return [...new Set(await Promise.all(versions))]
}
