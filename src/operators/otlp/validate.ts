import type * as File from '../../config/schema/file-types.gen.ts'
import { child } from '../../config/document/json-pointer.ts'
import type { ProcessVariables } from '../../config/environment-variables.ts'
import type { Check, ValidationContext } from '../../config/validate/context.ts'
import { frontendLocations } from '../../config/validate/policy-locations.ts'
import { examineService } from '../../config/validate/policy-backends.ts'

/** Checks the collectors of traces and logs, and that traces are configured once. */
export const checkOtlp =
  ({ otel }: ProcessVariables): Check =>
  (view) => {
    const { config, frontendPolicies } = view.file
    if (config?.tracing !== undefined && frontendPolicies?.tracing !== undefined)
      view.problem(
        '/config/tracing',
        'cannot use deprecated config.tracing together with frontendPolicies.tracing',
      )
    if (config?.tracing && (config.tracing.otlpEndpoint ?? otel?.traces?.endpoint) === undefined)
      view.warning('/config/tracing', 'no_effect', 'has no effect: it has no otlpEndpoint')
    for (const { frontend, pointer } of frontendLocations(view)) {
      if (frontend.tracing) examine(view, frontend.tracing, child(pointer, 'tracing'))
      for (const [name, otlp] of exportedLogs(frontend))
        if (otlp) examine(view, otlp, child(child(pointer, name), 'otlp'))
    }
  }

const exportedLogs = (frontend: File.FrontendPolicies | File.AttachedFrontend) => [
  ['accessLog', frontend.accessLog?.otlp] as const,
  ['logging', 'logging' in frontend ? frontend.logging.otlp : undefined] as const,
]

function examine(view: ValidationContext, source: File.Tracing | File.OtlpAccessLog, pointer: string): void {
  const isHttp = source.protocol === 'http'
  examineService(view, { ...source, protocol: isHttp ? { http: {} } : {} }, pointer)
  if (!isHttp && source.path !== undefined)
    view.warning(child(pointer, 'path'), 'no_effect', 'has no effect over gRPC')
}
