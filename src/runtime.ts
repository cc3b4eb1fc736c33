import { ConfigHistory } from './admin/config-history.ts'
import { Readiness } from './admin/readiness.ts'
import { adminTable } from './admin/endpoints.ts'
import type { AdminEndpoint } from './admin/endpoint.ts'
import { readConfigStatus } from './admin/reports/config-status.ts'
import { dependenciesReport } from './admin/reports/dependencies-report.ts'
import { endpointsReport } from './admin/reports/endpoints-report.ts'
import { mcpTargetsReport } from './admin/reports/mcp-targets-report.ts'
import { reloadsReport } from './admin/reports/reloads-report.ts'
import { logLevelAccess } from './admin/log-levels.ts'
import type { HeapSampling } from './admin/profiling/heap-sampling.ts'
import { envAttributes } from './cel/context/process-env.ts'
import { functionsOf } from './cel/custom/functions-of.ts'
import { dumpConfig } from './config/dump.ts'
import type { LoadedConfig } from './config/load.ts'
import type { Insertion } from './insert-stages.ts'
import type { ProcessSettings } from './model/resources/process-settings.ts'
import type { ControlPlaneStatus } from './model/resources/control-plane-status.ts'
import { Keyring } from './protocols/seal/aead-keyring.ts'
import { clientSinks } from './sinks/client/client-sinks.ts'
import type { ModuleLog } from './model/log/module-log.ts'
import type { Log } from './sinks/log/log.ts'
import type { Metrics } from './sinks/metrics/metrics.ts'
import type { LogDestination } from './sinks/log/destination.ts'
import { TraceSse } from './sinks/trace-sse.ts'
import { InheritedSockets } from './streams/systemd/inherited-sockets.ts'
import { openPorts, type Ports } from './streams/http/port/ports.ts'
import { connectionEvents } from './telemetry/connection-events.ts'
import { mcpOptions } from './telemetry/mcp-telemetry.ts'
import { openTelemetry, type Telemetry } from './telemetry/telemetry.ts'
import { Dependencies } from './upstream/dependency-status.ts'
import { type McpRuntime, mcpRuntime } from './upstream/mcp/mcp-runtime.ts'
import { Registry } from './upstream/registry.ts'
import { buildInfo } from './version.ts'

/** Environment variables that a configuration may refer to. */
export type RuntimeEnvironment = Readonly<Record<string, string | undefined>>

/** The parts of a gateway that outlive a configuration. */
export interface Runtime {
  /** The `config` section that the gateway started with. */
  readonly settings: ProcessSettings
  readonly env: RuntimeEnvironment
  readonly insertions: readonly Insertion[]
  readonly telemetry: Telemetry
  readonly registry: Registry
  readonly ports: Ports
  readonly mcp: McpRuntime
  readonly dependencies: Dependencies
  readonly readiness: Readiness
  readonly traces: TraceSse
  /** What reloads have changed. */
  readonly history: ConfigHistory
  readonly admin: readonly AdminEndpoint[]
  /** Aborts when the shutdown ends what would take longer than it. */
  readonly ending: AbortController
  /** The keys that seal session cookies and MCP session ids. */
  readonly sealing: () => Keyring
  /** The configuration in force. Compiling replaces it. */
  inForce: LoadedConfig
  /** What a dump shows of the control plane, if there is one. */
  controlPlaneStatus?: () => ControlPlaneStatus
  /** Ends the gateway; called by `/quitquitquit`. Set once it serves. */
  quit: () => Promise<void>
}

/** Options of the runtime. */
export interface RuntimeOptions {
  readonly env: RuntimeEnvironment
  readonly insertions?: readonly Insertion[]
  /** The log destination; standard output by default. */
  readonly destination?: LogDestination | undefined
  /** Sockets from the service manager. */
  readonly inherited?: InheritedSockets
  /** Samples of the allocations of the process, if it takes some. */
  readonly heapSampling?: HeapSampling | undefined
  /** Owns the connections to upstreams; by default one for real ones. */
  readonly registry?: Registry | undefined
}

/**
 * Makes the parts of a gateway and connects them. Nothing listens yet.
 *
 * Some parts read others that are made after them, such as metrics that count the exchanges of the ports: those read
 * the fields of the runtime lazily, when they are called.
 */
export const openRuntime = (first: LoadedConfig, options: RuntimeOptions): Runtime => {
  const { env, insertions = [], destination, inherited = new InheritedSockets() } = options
  const settings = first.process
  const parts: Partial<Runtime> = {
    settings,
    env,
    insertions,
    inForce: first,
    quit: notServing,
    ending: new AbortController(),
  }
  const runtime = parts as Runtime
  const mcp = mcpRuntime(mcpOptions(settings, () => runtime.telemetry))
  const telemetry = openTelemetry(settings, {
    version: buildInfo.version,
    env: envAttributes(env),
    podIp: env.INSTANCE_IP ?? env.POD_IP,
    sources: metricSources(runtime, mcp),
    definitions: () => runtime.inForce.resources.functions,
    destination,
  })
  const registry = options.registry ?? registryFor(settings, telemetry)
  const dependencies = dependenciesFor(telemetry)
  Object.assign(parts, {
    mcp,
    telemetry,
    registry,
    dependencies,
    ports: portsFor(settings, telemetry, registry, inherited),
    readiness: new Readiness(dependencies),
    traces: tracesFor(telemetry),
    history: new ConfigHistory(first, (error) => {
      telemetry.log.error('the configurations before and after a reload cannot be compared', { error })
    }),
    sealing: sealingFor(settings, telemetry.log),
  } satisfies Partial<Runtime>)
  return Object.assign(runtime, { admin: adminEndpoints(runtime, options) })
}

const notServing = () => Promise.resolve()

const metricSources = (runtime: Runtime, mcp: McpRuntime) => ({
  exchangesInFlight: () => runtime.ports.exchangesInFlight,
  eventLoopLagSeconds: () => runtime.ports.eventLoopLagMs / 1000,
  mcp: mcp.statusRegistry,
  endpoints: () => runtime.registry.health,
})

const registryFor = (
  settings: ProcessSettings,
  { metrics, healthChanged, logs: { upstream } }: Telemetry,
): Registry =>
  new Registry({
    upstream: settings.upstream,
    guardrailWebhook: settings.guardrailWebhook,
    ipv6Enabled: settings.ipv6Enabled,
    dnsLookupFamily: settings.dnsLookupFamily,
    evicted: () => {
      metrics.evicted('upstreams')
    },
    connected: (transport, seconds, endpoint, error) => {
      if (error) upstream.debug?.('cannot connect', { endpoint, transport, seconds, error })
      else {
        upstream.debug?.('connected', { endpoint, transport, seconds })
        metrics.upstreamConnected(transport, seconds)
      }
    },
    healthChanged,
    mirrored: (seconds) => {
      metrics.upstreamCall('Mirror', 'Http', seconds)
    },
  })

const portsFor = (
  { ipv6Enabled }: ProcessSettings,
  { trace, ends, rawEnded, metrics, log, logs }: Telemetry,
  { tcp, udp }: Registry,
  inherited: InheritedSockets,
): Ports =>
  openPorts(
    {
      trace,
      ended: ends.ended,
      rawEnded,
      tcp,
      udp,
      connections: connectionEvents(metrics, logs.http),
      log: logs.http,
      warn: (message, fields) => {
        log.warn(message, fields)
      },
    },
    clientSinks,
    { ipv6Enabled, inherited },
  )

const dependenciesFor = ({ log, logs }: Telemetry): Dependencies =>
  new Dependencies(({ name, state, error }) => {
    if (state === 'ready') log.info('a dependency is there', { dependency: name })
    else log.warn('a dependency does not answer', { dependency: name, state, error })
  }, logs.auth)

const tracesFor = ({ trace, metrics, logs }: Telemetry): TraceSse =>
  new TraceSse(trace, {
    log: logs.trace,
    onDropped: (count) => {
      metrics.traceEventsDropped(count)
    },
  })

/** The configured keys, or one of this process, made at first use. */
const sealingFor = ({ cookieKeys }: ProcessSettings, log: Log): (() => Keyring) => {
  let keys: Keyring | undefined
  return () => {
    if (!keys && cookieKeys.length === 0)
      log.warn('config.session.key is not set: a restart ends logins and MCP sessions')
    return (keys ??= Keyring.of(cookieKeys))
  }
}

const adminEndpoints = (runtime: Runtime, { heapSampling }: RuntimeOptions): readonly AdminEndpoint[] => {
  const { settings, mcp, ports, registry, telemetry, traces, dependencies, history, ending } = runtime
  const endpoints = endpointsReport(() => registry.reported)
  const mcpTargets = mcpTargetsReport(() => mcp.statusRegistry.targets)
  return adminTable({
    version: buildInfo.version,
    dump: async () => {
      const status = await readConfigStatus({ endpoints, mcpTargets })
      const controlPlane = runtime.controlPlaneStatus?.()
      const dump = dumpConfig({ ...runtime.inForce, process: settings }, buildInfo, status)
      return controlPlane ? { ...dump, controlPlane } : dump
    },
    reloads: reloadsReport(() => history.report()),
    endpoints,
    redaction: telemetry.redaction,
    traces,
    filter: telemetry.filter,
    tasks: { ports, mcp: mcp.statusRegistry, dependencies },
    memory: { ports, mcp },
    dependencies: dependenciesReport(() => dependencies.statuses),
    functions: () => functionsOf(runtime.inForce.resources.functions),
    logLevels: logLevelAccess(telemetry.levels, telemetry.logs.admin),
    profiles: { heapSampling, shutdown: ending.signal },
    quit: () => runtime.quit(),
  })
}
