import type { EndpointStatus } from '../../model/resources/endpoint-status.ts'
import { HealthReport, type Reported } from '../../upstream/load-balancing/health-report.ts'
import { endpointKey, mergeEndpointStatuses } from '../../upstream/load-balancing/merge-endpoint-statuses.ts'
import type { ProcessReport } from '../process-report.ts'
import { mergeByKey } from './merge-by-key.ts'
import { forEachInSlices } from '../../model/event-loop/time-slicing.ts'

/**
 * The health, counts and latencies of the endpoints of backends, and of providers. Collected in slices, because there
 * may be thousands.
 */
export const endpointsReport = (
  reported: () => readonly Reported[],
): ProcessReport<readonly EndpointStatus[]> => ({
  name: 'endpoints',
  collect: async () => {
    const report = new HealthReport(performance.now())
    await forEachInSlices(reported(), (one) => {
      report.add(one)
    })
    return report.statuses
  },
  merge: (reports) => mergeByKey(reports, endpointKey, mergeEndpointStatuses),
})
