import type { OtlpAccessLog, OtlpTarget, Sampling, Tracing } from './schema.ts'
import type * as File from '../../config/schema/file-types.gen.ts'
import { otlpUrl } from '../../config/format/otlp-endpoint.ts'
import type { Context } from '../../config/normalize/context.ts'
import { definedFields, given } from '../../config/normalize/optional-fields.ts'
import { policyBackend } from '../../config/normalize/policy-backend.ts'
import type { OtelVariables } from '../../config/otel-variables.ts'
import { headerPairs, pairs } from '../headers/normalize.ts'

/** `frontendPolicies.tracing`. */
export function normalizeTracing(source: File.Tracing, variables: OtelVariables, context: Context): Tracing {
  return definedFields<Tracing>({
    ...target(source, '/v1/traces', context),
    ...samplings(source, variables),
    filter: source.filter,
    attributes: pairs(source.attributes),
    resources: pairs(source.resources),
    remove: source.remove ?? [],
    timeoutMs: variables.traces?.timeoutMs,
  })
}

/** `frontendPolicies.accessLog.otlp`. */
export function normalizeOtlpAccessLog(
  source: File.OtlpAccessLog,
  variables: OtelVariables,
  context: Context,
): OtlpAccessLog {
  return definedFields<OtlpAccessLog>({
    ...target(source, '/v1/logs', context),
    filter: source.filter,
    add: pairs(source.fields?.add),
    remove: source.fields?.remove ?? [],
    timeoutMs: variables.logs?.timeoutMs,
  })
}

/**
 * `config.tracing`, overridden by variables, which are enough by themselves. Undefined if there is no address.
 *
 * Headers of variables belong to the collector that variables address; they are not sent to the one of a policy.
 */
export function processTracing(
  source: File.ProcessTracing = {},
  variables: OtelVariables,
  context: Context,
): Tracing | undefined {
  const { traces = {} } = variables
  const endpoint = traces.endpoint ?? source.otlpEndpoint
  const url = endpoint === undefined ? undefined : otlpUrl(endpoint)
  if (!url) return undefined
  const base = url.pathname.replace(/\/$/, '')
  const configured = source.path ?? '/v1/traces'
  const path = traces.isWholeUrl ? url.pathname : base + configured
  return definedFields<Tracing>({
    service: policyBackend({ host: url.origin }, context),
    protocol: traces.protocol ?? source.otlpProtocol ?? 'grpc',
    path,
    headers: traces.headers ?? headerPairs(source.headers),
    ...samplings(source, variables),
    filter: undefined,
    attributes: pairs(source.fields?.add),
    resources: [],
    remove: source.fields?.remove ?? [],
    timeoutMs: traces.timeoutMs,
  })
}

function target(
  source: File.Tracing | File.OtlpAccessLog,
  defaultPath: string,
  context: Context,
): Omit<OtlpTarget, 'timeoutMs'> {
  return {
    service: policyBackend(source, context),
    protocol: source.protocol ?? 'grpc',
    path: source.path ?? defaultPath,
    headers: headerPairs(source.headers),
  }
}

function samplings(
  source: Pick<File.Tracing, 'randomSampling' | 'clientSampling'>,
  { randomSampling, clientSampling }: OtelVariables,
) {
  return {
    randomSampling: given(source.randomSampling, sampling) ?? randomSampling,
    clientSampling: given(source.clientSampling, sampling) ?? clientSampling,
  }
}

function sampling(source: string | number | boolean): Sampling {
  const share = Number(source)
  return typeof source === 'string' && Number.isNaN(share) ? { expression: source } : { share }
}
