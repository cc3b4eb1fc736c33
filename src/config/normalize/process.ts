import type {
  BatchSettings,
  OtelSettings,
  PoolSettings,
  ProcessSettings,
  ServerAddress,
  UpstreamSettings,
} from '../../model/resources/process-settings.ts'
import type { SecretText } from '../../model/policies/secret-text.ts'
import { defaults } from '../defaults.ts'
import type { ProcessVariables } from '../environment-variables.ts'
import type { BatchVariables, OtelVariables } from '../otel-variables.ts'
import type * as File from '../schema/file-types.gen.ts'
import { parseHostPort } from '../format/address.ts'
import { keepalives } from '../../upstream/connect/normalize.ts'
import { milliseconds, timerMilliseconds } from './context.ts'
import { definedFields } from './optional-fields.ts'
import { xdsSettings } from './xds-settings.ts'
import { pairs } from '../../operators/headers/normalize.ts'

/** The section `config`, overridden by environment variables; without tokens, which are in files. */
export function processSettings(
  section: File.ProcessSection = {},
  variables: ProcessVariables,
): ProcessSettings {
  const { logging, metrics } = section
  const level = logging?.level ?? defaults.logLevel
  const xds = xdsSettings(section, variables.xds)
  const deadline =
    variables.terminationDeadlineMs ??
    (section.connectionTerminationDeadline === undefined
      ? variables.gracePeriodMs
      : timerMilliseconds(section.connectionTerminationDeadline))
  return {
    adminAddr: serverAddress(variables.adminAddr ?? section.adminAddr ?? defaults.adminAddr),
    statsAddr: serverAddress(variables.statsAddr ?? section.statsAddr ?? defaults.statsAddr),
    readinessAddr: serverAddress(variables.readinessAddr ?? section.readinessAddr ?? defaults.readinessAddr),
    adminHosts: (section.adminHosts ?? []).map((name) => name.toLowerCase()),
    adminTokens: [],
    ...adminTls(section.admin?.tls),
    ipv6Enabled: variables.ipv6Enabled ?? section.enableIpv6 ?? true,
    dnsLookupFamily: variables.dnsLookupFamily ?? section.dns?.lookupFamily ?? defaults.dnsLookupFamily,
    terminationDeadlineMs: deadline ?? milliseconds(defaults.terminationDeadline),
    minTerminationDeadlineMs:
      variables.minTerminationDeadlineMs ??
      milliseconds(section.connectionMinTerminationDeadline ?? defaults.minTerminationDeadline),
    sensitiveHeaders: (section.sensitiveHeaders ?? []).map((name) => name.toLowerCase()),
    cookieKeys: sealKeys(variables.cookieKeys ?? variables.sessionKeys, section.session?.key),
    sessionKeys: sealKeys(variables.sessionKeys, section.session?.key),
    ...(section.session?.address !== undefined && { sessionAddress: section.session.address }),
    mcp: {
      sessionTtlMs: timerMilliseconds(section.mcp?.sessionTtl ?? defaults.mcp.sessionTtl),
      maxPrograms: section.mcp?.maxPrograms ?? defaults.mcp.maxPrograms,
      maxProgramsPerTarget: section.mcp?.maxProgramsPerTarget ?? defaults.mcp.maxProgramsPerTarget,
    },
    logging: {
      level: typeof level === 'string' ? level : level.join(','),
      format: variables.logFormat ?? logging?.format ?? defaults.logFormat,
      ...(logging?.file !== undefined && { file: logging.file }),
    },
    metrics: {
      remove: metrics?.remove ?? [],
      add: pairs(metrics?.fields?.add),
      maxSeries: metrics?.maxSeries ?? defaults.metrics.maxSeries,
      maxLabelValues: metrics?.maxLabelValues ?? defaults.metrics.maxLabelValues,
    },
    histograms: section.histograms ?? defaults.metrics.histograms,
    upstream: upstream(section.backend ?? {}),
    guardrailWebhook: guardrailWebhook(variables),
    otel: otelSettings(variables.otel),
    ...(xds && { xds }),
  }
}

function adminTls(tls: NonNullable<File.ProcessSection['admin']>['tls']): Pick<ProcessSettings, 'adminTls'> {
  if (tls === undefined) return {}
  const { cert, key, root, allowedNames } = tls
  return {
    adminTls: {
      certFile: cert,
      keyFile: key,
      ...(root !== undefined && { clientCaFile: root }),
      ...(allowedNames !== undefined && { allowedNames }),
    },
  }
}

/** The keys of the environment, separated by commas, or those of the file. */
function sealKeys(
  variable: string | undefined,
  field: string | readonly string[] = [],
): readonly SecretText[] {
  return (variable?.split(',') ?? [field].flat()).map((key) => ({ secret: key.trim().toLowerCase() }))
}

/** `ip:port`, `localhost:port`, `unix:/path` or `off`, validated. */
export function serverAddress(text: string): ServerAddress {
  if (text === 'off') return 'off'
  if (text.startsWith('unix:')) return { unix: text.slice('unix:'.length) }
  const parsed = parseHostPort(text)
  if (parsed === undefined)
    throw new TypeError(`"${text}" is not an address; the checks should have refused it`)
  return { host: parsed.host, port: parsed.port }
}

function guardrailWebhook({ webhookConnections, webhookKeepaliveMs }: ProcessVariables): PoolSettings {
  const { maxConnections, keepaliveMs } = defaults.guardrailWebhook
  const limit = webhookConnections ?? maxConnections
  return definedFields<PoolSettings>({
    poolIdleTimeoutMs: webhookKeepaliveMs ?? keepaliveMs,
    poolMaxSize: limit === 0 ? undefined : limit,
  })
}

function otelSettings({
  traceBatches,
  logBatches,
  serviceName,
  resourceAttributes,
}: OtelVariables = {}): OtelSettings {
  return definedFields<OtelSettings>({
    traces: batches(defaults.otel.traces, traceBatches),
    logs: batches(defaults.otel.logs, logBatches),
    serviceName,
    resourceAttributes: resourceAttributes ?? [],
  })
}

/** A batch cannot be larger than the queue that it comes from. */
function batches(usual: BatchSettings, variables: BatchVariables = {}): BatchSettings {
  const merged = { ...usual, ...variables }
  return { ...merged, maxExportBatchSize: Math.min(merged.maxExportBatchSize, merged.maxQueueSize) }
}

function upstream(section: File.UpstreamSettings): UpstreamSettings {
  return definedFields<UpstreamSettings>({
    keepalives: keepalives(section.keepalives),
    connectTimeoutMs: timerMilliseconds(section.connectTimeout ?? defaults.upstream.connectTimeout),
    poolIdleTimeoutMs: timerMilliseconds(section.poolIdleTimeout ?? defaults.upstream.poolIdleTimeout),
    poolMaxSize: section.poolMaxSize,
  })
}
