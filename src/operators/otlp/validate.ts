import type * as File from '../../config/schema/file-types.gen.ts'
import { child } from '../../config/document/json-pointer.ts'
import type { ProcessVariables } from '../../config/environment-variables.ts'
import type { Check, ValidationContext } from '../../config/validate/context.ts'
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
    if (frontendPolicies?.tracing) examine(view, frontendPolicies.tracing, '/frontendPolicies/tracing')
    for (const name of ['accessLog', 'logging'] as const) {
      const otlp = frontendPolicies?.[name]?.otlp
      if (otlp) examine(view, otlp, `/frontendPolicies/${name}/otlp`)
    }
  }

function examine(view: ValidationContext, source: File.Tracing | File.OtlpAccessLog, pointer: string): void {
  const isHttp = source.protocol === 'http'
  examineService(view, { ...source, protocol: isHttp ? { http: {} } : {} }, pointer)
  if (!isHttp && source.path !== undefined)
    view.warning(child(pointer, 'path'), 'no_effect', 'has no effect over gRPC')
}
