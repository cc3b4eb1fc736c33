/**
 * A report that each process of the gateway makes of itself, and the rule that makes one report of several. Endpoints
 * read reports through it, so that they do not depend on the number of processes that serve traffic.
 *
 * @example
 * const uptime: ProcessReport<number> = {
 *   name: 'uptime',
 *   collect: () => process.uptime(),
 *   merge: (seconds) => Math.max(...seconds),
 * }
 */
export interface ProcessReport<Report, Query = void> {
  /** Unique among the reports. */
  readonly name: string
  /** The report of this process: plain data that survives `structuredClone`. */
  collect(query: Query): Report | Promise<Report>
  /** One report of all processes; of a single one it is that report. */
  merge(reports: readonly Report[]): Report
}

/** Reads a report of the whole gateway. */
export const readReport = async <Report, Query = void>(
  report: ProcessReport<Report, Query>,
  ...query: [undefined] extends [Query] ? [] : [Query]
): Promise<Report> => report.merge([await report.collect(query[0] as Query)])
