import type { CustomFunctions } from '../cel/custom/custom-functions.ts'
import type { Exchange } from '../model/exchange/exchange.ts'
import type { Redaction } from '../model/trace/redact.ts'
import type { TraceSse } from '../sinks/trace-sse.ts'
import type { Dependencies } from '../upstream/dependency-status.ts'
import type { AdminEndpoint } from './endpoint.ts'
import { celEndpoints } from './handlers/cel.ts'
import { configDumpEndpoint } from './handlers/config-dump.ts'
import { dependenciesEndpoint } from './handlers/dependencies.ts'
import { indexPage } from './handlers/index-page.ts'
import { quitEndpoint } from './handlers/quit.ts'
import { traceEndpoint } from './handlers/trace.ts'

/** Dependencies of the admin endpoints. */
export interface AdminParts {
  readonly version: string
  /** The configuration in force, as plain data. */
  readonly dump: () => unknown
  readonly redaction: Redaction
  readonly traces: TraceSse
  readonly filter: (expression: string) => (x: Exchange) => boolean
  readonly dependencies: Dependencies
  readonly functions: () => CustomFunctions
  readonly quit: () => Promise<void>
}

/** The admin endpoints, and the index page. */
export const adminTable = (parts: AdminParts): readonly AdminEndpoint[] => {
  const endpoints = [
    configDumpEndpoint(parts.dump, parts.redaction),
    traceEndpoint(parts.traces, parts.filter),
    dependenciesEndpoint(() => parts.dependencies.statuses),
    ...celEndpoints(parts.functions),
    quitEndpoint(parts.quit),
  ]
  return [indexPage(parts.version, endpoints), ...endpoints]
}
