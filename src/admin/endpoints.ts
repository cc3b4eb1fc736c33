import type { CustomFunctions } from '../cel/custom/custom-functions.ts'
import type { Exchange } from '../model/exchange/exchange.ts'
import type { Redaction } from '../model/trace/redact.ts'
import type { TraceSse } from '../sinks/trace-sse.ts'
import type { EndpointStatus } from '../model/resources/endpoint-status.ts'
import type { DependencyStatus } from '../upstream/dependency-status.ts'
import type { AdminEndpoint } from './endpoint.ts'
import { celEndpoints } from './handlers/cel.ts'
import { configDumpEndpoint } from './handlers/config-dump.ts'
import { configDiffEndpoint } from './handlers/config-diff.ts'
import { dependenciesEndpoint } from './handlers/dependencies.ts'
import { indexPage } from './handlers/index-page.ts'
import { loggingEndpoint } from './handlers/logging.ts'
import { type ProfileEndpointOptions, profileEndpoints } from './handlers/profiles.ts'
import { quitEndpoint } from './handlers/quit.ts'
import type { ProcessReport } from './process-report.ts'
import type { ReloadsReport } from './reports/reloads-report.ts'
import { traceEndpoint } from './handlers/trace.ts'
import type { LogLevelAccess } from './log-levels.ts'
import { memoryEndpoint } from './handlers/memory.ts'
import { tasksEndpoint } from './handlers/tasks.ts'
import { memoryReport, type MemorySources } from './memory/memory-report.ts'
import { taskReport } from './tasks/task-report.ts'
import type { TaskSources } from './tasks/collect-tasks.ts'

/** Dependencies of the admin endpoints. */
export interface AdminParts {
  readonly version: string
  /** The configuration in force and the status of its endpoints, as plain data. */
  readonly dump: () => unknown
  readonly reloads: ProcessReport<ReloadsReport>
  readonly endpoints: ProcessReport<readonly EndpointStatus[]>
  readonly redaction: Redaction
  readonly traces: TraceSse
  readonly filter: (expression: string) => (x: Exchange) => boolean
  readonly tasks: TaskSources
  readonly memory: MemorySources
  readonly dependencies: ProcessReport<readonly DependencyStatus[]>
  readonly functions: () => CustomFunctions
  readonly logLevels: LogLevelAccess
  readonly profiles: ProfileEndpointOptions
  readonly quit: () => Promise<void>
}

/** The admin endpoints, and the index page. */
export const adminTable = (parts: AdminParts): readonly AdminEndpoint[] => {
  const endpoints = [
    configDumpEndpoint(parts.dump, parts.redaction),
    configDiffEndpoint(parts.reloads),
    traceEndpoint(parts.traces, parts.filter),
    memoryEndpoint(memoryReport(parts.memory)),
    tasksEndpoint(taskReport(parts.tasks), parts.redaction),
    dependenciesEndpoint(parts.dependencies, parts.endpoints),
    ...celEndpoints(parts.functions),
    loggingEndpoint(parts.logLevels),
    ...profileEndpoints(parts.profiles),
    quitEndpoint(parts.quit),
  ]
  return [indexPage(parts.version, endpoints), ...endpoints]
}
