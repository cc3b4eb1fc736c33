import type { FamilyPart, MetricsReport } from '../../sinks/metrics/report/metrics-report.ts'
import { mergeReports } from '../../sinks/metrics/report/merge-reports.ts'
import type { ProcessReport } from '../process-report.ts'
import { slicesOf } from '../../model/event-loop/time-slicing.ts'

/** The report of the metrics: collected in slices; counters and histograms of several processes add up. */
export const metricsReport = (metrics: {
  parts(): Promise<Iterable<FamilyPart>>
}): ProcessReport<MetricsReport> => ({
  name: 'metrics',
  collect: async () => {
    const report: FamilyPart[] = []
    for await (const parts of slicesOf(await metrics.parts())) report.push(...parts)
    return report
  },
  merge: mergeReports,
})
