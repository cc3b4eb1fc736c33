import { isDeepStrictEqual } from 'node:util'
import type { ProcessSettings } from '../model/resources/process-settings.ts'

/**
 * Every setting by the name of its field in the section `config`; undefined for settings of variables only.
 */
type Fields<Settings> = {
  readonly [Key in keyof Settings]-?: string | undefined | Fields<Settings[Key]>
}

const fields: Fields<ProcessSettings> = {
  adminAddr: 'adminAddr',
  statsAddr: 'statsAddr',
  readinessAddr: 'readinessAddr',
  adminHosts: 'adminHosts',
  // Applied by a reload.
  adminTokens: undefined,
  adminTls: 'admin.tls',
  ipv6Enabled: 'enableIpv6',
  dnsLookupFamily: 'dns.lookupFamily',
  terminationDeadlineMs: 'connectionTerminationDeadline',
  minTerminationDeadlineMs: 'connectionMinTerminationDeadline',
  sensitiveHeaders: 'sensitiveHeaders',
  cookieKeys: 'session.key',
  sessionKeys: 'session.key',
  sessionAddress: 'session.address',
  mcp: {
    sessionTtlMs: 'mcp.sessionTtl',
    maxPrograms: 'mcp.maxPrograms',
    maxProgramsPerTarget: 'mcp.maxProgramsPerTarget',
  },
  logging: { level: 'logging.level', format: 'logging.format', file: 'logging.file' },
  metrics: {
    remove: 'metrics.remove',
    add: 'metrics.fields.add',
    maxSeries: 'metrics.maxSeries',
    maxLabelValues: 'metrics.maxLabelValues',
  },
  histograms: 'histograms',
  upstream: {
    keepalives: 'backend.keepalives',
    connectTimeoutMs: 'backend.connectTimeout',
    poolIdleTimeoutMs: 'backend.poolIdleTimeout',
    poolMaxSize: 'backend.poolMaxSize',
  },
  guardrailWebhook: undefined,
  otel: undefined,
  xds: 'xdsAddress',
}

/**
 * The fields of the section `config` that differ from the configuration that the process started with. They
 * take effect after a restart only. Values are not included, since some are keys.
 *
 * @example
 * needsRestart(first.process, loaded.process) // ['config.adminAddr', 'config.logging.level']
 */
export const restartRequired = (before: ProcessSettings, after: ProcessSettings): readonly string[] => [
  ...new Set(changed(fields as Names, before, after)),
]

interface Names {
  readonly [key: string]: string | undefined | Names
}

const changed = (names: Names, before: object, after: object): string[] =>
  Object.entries(names).flatMap(([key, name]) => {
    const [was, is] = [before, after].map((settings) => (settings as Record<string, unknown>)[key])
    if (name === undefined || isDeepStrictEqual(was, is)) return []
    return typeof name === 'string' ? [`config.${name}`] : changed(name, was as object, is as object)
  })
