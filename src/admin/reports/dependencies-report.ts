import type { DependencyStatus } from '../../upstream/dependency-status.ts'
import type { ProcessReport } from '../process-report.ts'
import { mergeByKey } from './merge-by-key.ts'

/** The services that the gateway depends on. */
export const dependenciesReport = (
  statuses: () => readonly DependencyStatus[],
): ProcessReport<readonly DependencyStatus[]> => ({
  name: 'dependencies',
  collect: statuses,
  merge: (reports) => {
    const merged = mergeByKey(reports, ({ name }) => name, mergeDependencies)
    return reports.length < 2 ? merged : merged.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  },
})

/** What one process lacks, the gateway lacks. */
const mergeDependencies = (a: DependencyStatus, b: DependencyStatus): DependencyStatus => {
  const worse = badness[b.state] > badness[a.state] ? b : a
  const respondedAtMs = Math.max(a.respondedAtMs ?? 0, b.respondedAtMs ?? 0)
  return { ...worse, required: a.required || b.required, ...(respondedAtMs > 0 && { respondedAtMs }) }
}

const badness = { ready: 0, stale: 1, pending: 2 } as const
