import { functionsOf } from '../cel/custom/functions-of.ts'
import { toPlain } from '../cel/values/values.ts'
import type { Exchange } from '../model/exchange/exchange.ts'
import type { OtelSettings } from '../model/resources/process-settings.ts'
import type { Snapshot } from '../model/resources/snapshot.ts'
import { redactText, type Redaction } from '../model/trace/redact.ts'
import type { Collector } from '../model/tracing/otlp-transport.ts'
import type { SpanAttributes } from '../model/tracing/span.ts'
import { gatewayExchange } from '../operators/otlp/gateway-exchange.ts'
import type { ExpressionCompiler } from '../sinks/access-log/expression-compiler.ts'
import { accessLogRules } from '../sinks/access-log/access-log-policy.ts'
import { rulesByPolicy } from '../sinks/access-log/policy-rules.ts'
import type { Log } from '../sinks/log/log.ts'
import type { Metrics } from '../sinks/metrics/metrics.ts'
import type { ExportEvents } from '../sinks/otel/export-queue.ts'
import { OtlpExport } from '../sinks/otel/otlp-export.ts'
import { processResource, type ResourceSource } from '../sinks/otel/resource.ts'

/** Dependencies of exports over OTLP. */
export interface OtlpTelemetryOptions {
  readonly settings: OtelSettings
  readonly redaction: Redaction
  readonly compiler: ExpressionCompiler<Exchange>
  readonly metrics: Metrics
  readonly log: Log
  readonly process: Pick<ResourceSource, 'version' | 'namespace' | 'podIp'>
}

/** Connects exports over OTLP with expressions, metrics and the log. */
export const otlpTelemetry = (options: OtlpTelemetryOptions): OtlpExport => {
  const { settings, redaction, compiler, metrics, log } = options
  return new OtlpExport({
    settings,
    version: options.process.version,
    redaction,
    traceRules: rulesByPolicy(
      ({ tracing }) => tracing,
      (policy, functions) => accessLogRules({ ...policy, add: policy.attributes }, compiler(functions)),
    ),
    logRules: rulesByPolicy(
      ({ accessLog }) => accessLog?.otlp,
      (policy, functions) => accessLogRules(policy, compiler(functions)),
    ),
    resourceOf: (collector, snapshot) => ({
      ...processResource({
        ...options.process,
        serviceName: settings.serviceName,
        attributes: settings.resourceAttributes,
      }),
      ...configuredResource(collector, snapshot, compiler),
    }),
    events: (signal) => exportEvents(signal, metrics, log),
  })
}

/** Attributes of expressions that fail are left out. */
const configuredResource = (
  { resources }: Collector,
  snapshot: Snapshot,
  compiler: ExpressionCompiler<Exchange>,
): SpanAttributes => {
  const { functions } = snapshot.resources
  const attributes: SpanAttributes = {}
  const expressions = compiler(functionsOf(functions))
  const x = gatewayExchange(snapshot)
  for (const [name, expression] of resources) {
    const value = toPlain(expressions.value(expression)(x))
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
      attributes[name] = value
    else if (value !== undefined && value !== null) attributes[name] = JSON.stringify(value)
  }
  return attributes
}

const exportEvents = (signal: 'traces' | 'logs', metrics: Metrics, log: Log): ExportEvents => ({
  exported: (count) => {
    metrics.otlpRecords('exported', signal, count)
  },
  dropped: (count, reason) => {
    metrics.otlpRecords('dropped', signal, count, reason)
  },
  failed: (count, reason) => {
    metrics.otlpRecords('failed', signal, count, reason)
  },
  partlyRejected: (count, message) => {
    metrics.otlpRecords('failed', signal, count, 'rejected')
    log.warn('a collector took a part of an export only', {
      signal,
      rejected: count,
      error: redactText(message),
    })
  },
  encodingFailed: (error) => {
    log.error('telemetry for a collector cannot be encoded', { signal, error })
  },
  reachabilityChanged: (error) => {
    if (error === undefined) log.info('a collector takes exports again', { signal })
    else log.warn('a collector does not take exports', { signal, error })
  },
})
