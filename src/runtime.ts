import { Readiness } from './admin/readiness.ts'
import { adminTable } from './admin/endpoints.ts'
import type { AdminEndpoint } from './admin/endpoint.ts'
import { envAttributes } from './cel/context/process-env.ts'
import { functionsOf } from './cel/custom/functions-of.ts'
import { dumpConfig } from './config/dump.ts'
import type { LoadedConfig } from './config/load.ts'
import type { Insertion } from './insert-stages.ts'
import type { ProcessSettings } from './model/resources/process-settings.ts'
import { Keyring } from './protocols/seal/aead-keyring.ts'
import { clientSinks } from './sinks/client/client-sinks.ts'
import type { Log } from './sinks/log/log.ts'
import type { LogDestination } from './sinks/log/destination.ts'
import { TraceSse } from './sinks/trace-sse.ts'
import { openPorts, type Ports } from './streams/http/port/ports.ts'
import { mcpOptions, openTelemetry, type Telemetry } from './telemetry.ts'
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
  readonly admin: readonly AdminEndpoint[]
  /** The keys that seal session cookies and MCP session ids. */
  readonly sealing: () => Keyring
  /** The configuration in force. Compiling replaces it. */
  inForce: LoadedConfig
  /** Ends the gateway; called by `/quitquitquit`. Set once it serves. */
  quit: () => Promise<void>
}

/** Options of the runtime. */
export interface RuntimeOptions {
  readonly env: RuntimeEnvironment
  readonly insertions?: readonly Insertion[]
  /** The log destination; standard output by default. */
  readonly destination?: LogDestination | undefined
}

/**
 * Makes the parts of a gateway and connects them. Nothing listens yet.
 *
 * Some parts read others that are made after them, such as metrics that count the exchanges of the ports: those read
 * the fields of the runtime lazily, when they are called.
 */
export const openRuntime = (first: LoadedConfig, options: RuntimeOptions): Runtime => {
  const { env, insertions = [], destination } = options
  const settings = first.process
  const parts: Partial<Runtime> = { settings, env, insertions, inForce: first, quit: notServing }
  const runtime = parts as Runtime
  const mcp = mcpRuntime(mcpOptions(settings, () => runtime.telemetry))
  const telemetry = openTelemetry(settings, {
    version: buildInfo.version,
    env: envAttributes(env),
    sources: metricSources(runtime, mcp),
    definitions: () => runtime.inForce.resources.functions,
    destination,
  })
  const registry = registryFor(settings, telemetry)
  const dependencies = dependenciesFor(telemetry.log)
  Object.assign(parts, {
    mcp,
    telemetry,
    registry,
    dependencies,
    ports: portsFor(settings, telemetry, registry),
    readiness: new Readiness(dependencies),
    traces: tracesFor(telemetry),
    sealing: sealingFor(settings, telemetry.log),
  } satisfies Partial<Runtime>)
  return Object.assign(runtime, { admin: adminEndpoints(runtime) })
}

const notServing = () => Promise.resolve()

const metricSources = (runtime: Runtime, mcp: McpRuntime) => ({
  exchangesInFlight: () => runtime.ports.exchangesInFlight,
  eventLoopLagSeconds: () => runtime.ports.eventLoopLagMs / 1000,
  mcp: mcp.statusRegistry,
  endpoints: () => runtime.registry.health,
})

const registryFor = (settings: ProcessSettings, { metrics, healthChanged }: Telemetry): Registry =>
  new Registry({
    upstream: settings.upstream,
    guardrailWebhook: settings.guardrailWebhook,
    ipv6Enabled: settings.ipv6Enabled,
    dnsLookupFamily: settings.dnsLookupFamily,
    evicted: () => {
      metrics.evicted('upstreams')
    },
    connected: (transport, seconds) => {
      metrics.upstreamConnected(transport, seconds)
    },
    healthChanged,
    mirrored: (seconds) => {
      metrics.upstreamCall('Mirror', 'Http', seconds)
    },
  })

const portsFor = (
  { ipv6Enabled }: ProcessSettings,
  { trace, ends, rawEnded, metrics, log }: Telemetry,
  { tcp }: Registry,
): Ports =>
  openPorts(
    {
      trace,
      ended: ends.ended,
      rawEnded,
      tcp,
      connections: metrics,
      warn: (message, fields) => {
        log.warn(message, fields)
      },
    },
    clientSinks,
    { ipv6Enabled },
  )

const dependenciesFor = (log: Log): Dependencies =>
  new Dependencies(({ name, state, error }) => {
    if (state === 'ready') log.info('a dependency is there', { dependency: name })
    else log.warn('a dependency does not answer', { dependency: name, state, error })
  })

const tracesFor = ({ trace, metrics }: Telemetry): TraceSse =>
  new TraceSse(trace, {
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

const adminEndpoints = (runtime: Runtime): readonly AdminEndpoint[] => {
  const { settings, mcp, registry, telemetry, traces, dependencies } = runtime
  return adminTable({
    version: buildInfo.version,
    dump: () =>
      dumpConfig(
        { ...runtime.inForce, process: settings },
        buildInfo,
        (backend, target) => mcp.statusRegistry.target(backend, target),
        registry.health,
      ),
    redaction: telemetry.redaction,
    traces,
    filter: telemetry.filter,
    dependencies,
    functions: () => functionsOf(runtime.inForce.resources.functions),
    quit: () => runtime.quit(),
  })
}
