import { defaults } from './defaults.ts'
import { dumpBackend, dumpPolicy, dumpWorkload, serviceDump } from './dump/backend.ts'
import { dumpBind, dumpRoute } from './dump/bind.ts'
import { dumpHealth, type DumpedStatus, noStatus } from './dump/endpoints.ts'
import { dumpCatalog } from './dump/llm.ts'
import { type Hiding, printed, type Printed, printedFields } from './dump/value.ts'
import { formatDuration } from './format/duration.ts'
import type { ParsedConfig } from './parse.ts'
import type { ProcessSettings, ServerAddress } from '../model/resources/process-settings.ts'
import type { XdsSettings } from '../model/resources/xds-settings.ts'
import { lateByKey, lateList } from '../model/trace/lazy-json.ts'
import { Redaction } from '../model/trace/redact.ts'
import { knownBetas } from '../protocols/llm/providers/bedrock-betas.ts'
import { hostPortText } from '../protocols/ip/host-port.ts'

/** The settings of the process, named as in dumps of the reference implementation. */
export function dumpProcess(settings: ProcessSettings, hiding: Hiding): Printed {
  const { guardrailWebhook, metrics, upstream } = settings
  return {
    ipv6Enabled: settings.ipv6Enabled,
    terminationMaxDeadline: formatDuration(settings.terminationDeadlineMs),
    terminationMinDeadline: formatDuration(settings.minTerminationDeadlineMs),
    adminAddr: serverAddress(settings.adminAddr),
    statsAddr: serverAddress(settings.statsAddr),
    readinessAddr: serverAddress(settings.readinessAddr),
    adminHosts: settings.adminHosts,
    admin: {
      auth: settings.adminTokens.length === 0 ? null : { tokens: settings.adminTokens.length },
      tls: settings.adminTls ?? null,
    },
    dns: { lookupFamily: settings.dnsLookupFamily },
    metrics: {
      metric_fields: {
        add: Object.fromEntries(metrics.add.map(([label, cel]) => [label, printed(cel, hiding)])),
      },
      excluded_metrics: metrics.remove,
      maxSeries: metrics.maxSeries,
      maxLabelValues: metrics.maxLabelValues,
    },
    histograms: settings.histograms,
    logging: settings.logging,
    storage: { mode: 'file' },
    sensitiveHeaders: settings.sensitiveHeaders,
    backend: { poolMaxSize: null, ...printedFields(upstream, hiding) },
    guardrailWebhook: { poolMaxSize: null, ...printedFields(guardrailWebhook, hiding) },
    ...(settings.sessionAddress !== undefined && { session: { address: settings.sessionAddress } }),
    mcp: printedFields(settings.mcp, hiding),
    ...(settings.xds && { xds: dumpXds(settings.xds) }),
  }
}

function serverAddress(address: ServerAddress): unknown {
  if (address === 'off') return 'Off'
  if ('unix' in address) return { Unix: address.unix }
  return { SocketAddr: hostPortText(address.host, address.port) }
}

/** Without additional headers, which may be credentials. */
const dumpXds = ({ address: { host, port, tls }, rootFile, tokenFile, node }: XdsSettings): Printed => ({
  address: `${tls ? 'https' : 'http'}://${hostPortText(host, port)}`,
  rootCa: rootFile ?? null,
  authToken: tokenFile ?? null,
  node,
})

/** Version information of the build. */
export interface BuildInfo {
  readonly version: string
  readonly gitRevision: string
}

/** The parts of a configuration that a dump includes. */
export type Dumpable = Pick<ParsedConfig, 'resources' | 'process' | 'hash'> & {
  readonly secrets?: readonly string[]
}

/**
 * The content of `/config_dump`: every resource and setting in force, without credentials, as plain data,
 * with the state of MCP servers and of the endpoints of backends.
 *
 * @example
 * JSON.stringify(dumpConfig(loaded, { version: '1.0.0', gitRevision: 'unknown' }), undefined, 2)
 */
export function dumpConfig(
  { resources, process: settings, hash, secrets = [] }: Dumpable,
  build: BuildInfo,
  status: DumpedStatus = noStatus,
): Printed {
  const hiding: Hiding = { redaction: new Redaction(settings.sensitiveHeaders), secrets }
  const groups = resources.routeGroups.map(({ name, routes }) => [
    name,
    lateByKey(routes, (route) => dumpRoute(route, hiding)),
  ])
  const supervised = [...status.endpoints.values()].flat().filter(({ isSupervised }) => isSupervised)
  return {
    workloads: lateList(resources.workloads, dumpWorkload),
    services: lateList(resources.services, serviceDump(status, resources.workloads)),
    binds: resources.binds.map((bind) => dumpBind(bind, hiding)),
    routes: { httpMesh: {}, tcpMesh: {}, routeGroups: Object.fromEntries(groups) as Printed },
    policies: lateList(resources.policies, (policy) => dumpPolicy(policy, hiding)),
    backends: lateList(resources.backends, (backend) => dumpBackend(backend, hiding, status)),
    health: lateList(supervised, dumpHealth),
    models: [],
    frontendPolicies: printed(resources.frontend, hiding),
    version: {
      version: build.version,
      git_revision: build.gitRevision,
      node_version: process.versions.node,
      build_profile: 'release',
      build_target: `${process.arch}-${process.platform}`,
    },
    config: {
      ...dumpProcess(settings, hiding),
      customFunctions: printed(resources.functions ?? null, hiding),
      modelCatalog: dumpCatalog(resources.modelCatalog),
      unknownPrice: resources.unknownPrice ?? defaults.llm.unknownPrice,
      llmBedrockBetas: resources.bedrockBetas ?? knownBetas,
      llmCachesAsProvider: resources.cachesAsProvider ?? false,
    },
    hash,
    warnings: resources.warnings,
  }
}
