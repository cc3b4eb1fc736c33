import type { AdminEndpoint } from '../endpoint.ts'
import type { MemoryReport } from '../memory/memory-report.ts'
import { type ProcessReport, readReport } from '../process-report.ts'
import { sendInSlices } from '../send-in-slices.ts'
import { coalesced } from '../coalesced.ts'

/**
 * `GET /memory`: what memory is used for, as JSON. Reads counters only: nothing is collected and no snapshot is taken, so
 * that it can be called at any time.
 */
export const memoryEndpoint = (report: ProcessReport<MemoryReport>): AdminEndpoint => {
  const text = coalesced(async () => JSON.stringify(await readReport(report), null, 2))
  return {
    path: '/memory',
    methods: ['GET', 'HEAD'],
    summary:
      'memory of the process and of V8, and counts of what takes it: sockets, requests, sessions, caches',
    group: 'process',
    handle: async (call) => {
      const parts = call.req.method === 'HEAD' ? [] : [await text()]
      await sendInSlices(call, 'application/json', parts)
    },
  }
}
