import type { ConfigChanges } from '../../config/diff/config-diff.ts'
import type { ProcessReport } from '../process-report.ts'

/** A reload that took effect. Times are in RFC 3339. */
export interface LastReload {
  readonly at: string
  readonly file: string
  readonly oldHash: string
  readonly newHash: string
  /** Changed fields that take effect after a restart only. */
  readonly restartRequired: readonly string[]
  readonly changes: ConfigChanges
}

/** A reload that was refused. */
export interface FailedReload {
  readonly at: string
  readonly file: string
  readonly error: string
}

/** What reloads have changed. */
export interface ReloadsReport {
  /** The configurations in force: several while processes reload. */
  readonly inForce: readonly {
    readonly hash: string
    readonly file: string
    readonly since: string
    readonly processes: number
  }[]
  readonly lastReload?: LastReload
  readonly lastFailure?: FailedReload
}

/** What reloads have changed; of several processes, what the last of them did. */
export const reloadsReport = (collect: () => Promise<ReloadsReport>): ProcessReport<ReloadsReport> => ({
  name: 'reloads',
  collect,
  merge: (reports) => {
    const [first] = reports
    if (reports.length === 1 && first) return first
    const inForce = new Map<string, ReloadsReport['inForce'][number]>()
    for (const one of reports.flatMap((report) => report.inForce)) {
      const known = inForce.get(one.hash)
      const since = known && known.since < one.since ? known.since : one.since
      inForce.set(one.hash, { ...one, since, processes: one.processes + (known?.processes ?? 0) })
    }
    const lastReload = latest(reports.map((report) => report.lastReload))
    const lastFailure = latest(reports.map((report) => report.lastFailure))
    return {
      inForce: [...inForce.values()],
      ...(lastReload && { lastReload }),
      ...(lastFailure && { lastFailure }),
    }
  },
})

const latest = <Event extends { readonly at: string }>(events: readonly (Event | undefined)[]) =>
  events.reduce((last, one) => (one && (!last || one.at > last.at) ? one : last), undefined)
