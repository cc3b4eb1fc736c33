import type { DumpedStatus } from '../../config/dump/endpoints.ts'
import type { McpTargetStatus } from '../../model/mcp/mcp-status.ts'
import type { EndpointStatus } from '../../model/resources/endpoint-status.ts'
import { type ProcessReport, readReport } from '../process-report.ts'
import { forEachInSlices } from '../../model/event-loop/time-slicing.ts'

/** The reports that a dump of the configuration shows. */
export interface ConfigReports {
  readonly endpoints: ProcessReport<readonly EndpointStatus[]>
  readonly mcpTargets: ProcessReport<readonly McpTargetStatus[]>
}

/** Reads the reports of a dump, by backend. */
export const readConfigStatus = async ({ endpoints, mcpTargets }: ConfigReports): Promise<DumpedStatus> => {
  const byBackend = new Map<string, EndpointStatus[]>()
  await forEachInSlices(await readReport(endpoints), (status) => {
    const known = byBackend.get(status.backend)
    if (known) known.push(status)
    else byBackend.set(status.backend, [status])
  })
  const mcp = new Map<string, Map<string, McpTargetStatus>>()
  await forEachInSlices(await readReport(mcpTargets), (status) => {
    const known = mcp.get(status.backend) ?? new Map<string, McpTargetStatus>()
    mcp.set(status.backend, known.set(status.target, status))
  })
  return { endpoints: byBackend, mcp }
}
