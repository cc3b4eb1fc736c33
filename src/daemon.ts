import { BehaviorSubject, config as rxjs, map, NEVER, type Observable, type Subscription } from 'rxjs'
import { dependenciesEndpoint } from './admin/handlers/dependencies.ts'
import { celEndpoints } from './admin/handlers/cel.ts'
import { configDumpEndpoint } from './admin/handlers/config-dump.ts'
import { quitEndpoint } from './admin/handlers/quit.ts'
import { traceEndpoint } from './admin/handlers/trace.ts'
import { Readiness, readinessEndpoint } from './admin/readiness.ts'
import { adminServers } from './admin/servers.ts'
import { statsEndpoints } from './admin/stats.ts'
import { functionsOf } from './cel/custom/functions-of.ts'
import { envFacts } from './cel/process-env.ts'
import type { ConfigSource } from './config/command-line.ts'
import { compile } from './config/compile.ts'
import { dumpConfig } from './config/dump.ts'
import { formatWarning } from './config/errors.ts'
import { type LoadedConfig, loadConfig } from './config/load.ts'
import type { Snapshot } from './model/snapshot.ts'
import { StartFailure } from './model/start-failure.ts'
import { observers, watchedMcp } from './observers.ts'
import { faultReply } from './pipeline/fault-reply.ts'
import { SealRing } from './protocols/seal/seal-ring.ts'
import { clientSinks } from './sinks/client-sinks.ts'
import { TraceSse } from './sinks/trace-sse.ts'
import { changesOfListed } from './streams/config/file-changes.ts'
import { snapshots } from './streams/config/snapshots.ts'
import { openPorts } from './streams/http/ports.ts'
import { Announcement, gatewayAddresses } from './announcement.ts'
import { shutdown } from './shutdown.ts'
import { Dependencies } from './upstream/dependencies.ts'
import { mcpWorkplace } from './upstream/mcp/workplace.ts'
import { Registry } from './upstream/registry.ts'
import { buildInfo } from './version.ts'

/** A gateway that serves. */
export interface Daemon {
  /** Begins the shutdown, once; resolves when nothing more is accepted. What is in flight may take until the deadline. */
  quit(): Promise<void>
  /** Resolves when everything has ended and nothing is left. */
  readonly ended: Promise<void>
}

type Environment = Readonly<Record<string, string | undefined>>

/**
 * Introduces the parts of the gateway to each other: configuration becomes snapshots, snapshots are served by ports, and
 * what happens to exchanges goes to the log, the metrics and the trace.
 *
 * @throws ConfigError for a configuration that cannot be used; StartFailure, naming the address, for a port that cannot be had.
 */
export const startDaemon = async (source: ConfigSource, env: Environment): Promise<Daemon> => {
  const named$ = new BehaviorSubject<readonly string[]>([])
  const load = () =>
    loadConfig(source, env, (files) => {
      named$.next(files)
    })
  const first = await load()
  const settings = first.process
  let ring: SealRing | undefined
  const sealing = () => {
    if (!ring && settings.cookieKeys.length === 0)
      log.warn('config.session.key is not set: a restart ends logins and MCP sessions')
    return (ring ??= SealRing.of(settings.cookieKeys))
  }
  let inForce: LoadedConfig = first
  const mcp = mcpWorkplace(watchedMcp(settings, () => watchers))
  const watchers = observers(
    settings,
    buildInfo.version,
    {
      exchangesInFlight: () => ports.exchangesInFlight,
      eventLoopLagSeconds: () => ports.eventLoopLagMs / 1000,
      mcp: mcp.book,
    },
    () => inForce.resources.functions,
    envFacts(env),
  )
  const { log, trace, metrics } = watchers
  // An error thrown by a subscriber would otherwise be rethrown from a timer, and end the process.
  rxjs.onUnhandledError = (error: unknown) => {
    log.error('a subscriber failed', { error })
  }
  const registry = new Registry({
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
    mirrored: (seconds) => {
      metrics.upstreamCall('Mirror', 'Http', seconds)
    },
  })
  const ports = openPorts(
    {
      trace,
      ended: watchers.ends.ended,
      rawEnded: watchers.rawEnded,
      tcp: registry.tcp,
      connections: metrics,
      warn: (message, facts) => {
        log.warn(message, facts)
      },
    },
    clientSinks,
    { ipv6Enabled: settings.ipv6Enabled },
  )
  const dependencies = new Dependencies(({ name, state, error }) => {
    if (state === 'ready') log.info('a dependency is there', { dependency: name })
    else log.warn('a dependency does not answer', { dependency: name, state, error })
  })
  const rescuer = faultReply((bug, x) => {
    log.error('a stage failed', { error: bug, requestId: x.request.id })
  })
  const snapshots$ = snapshots({
    first,
    changes$: first.path === undefined ? NEVER : changesOfListed(watched(first.path, named$)),
    load,
    compile: (loaded: LoadedConfig) => {
      const snapshot = compile(loaded, {
        registry,
        rescuer,
        env: envFacts(env),
        sensitiveHeaders: settings.sensitiveHeaders,
        dependencies,
        sealing,
        mcp,
        observed: settings.metrics.add.map(([, expression]) => expression),
        evicted: (cache) => {
          metrics.evicted(cache)
        },
        policyCalled: watchers.policyCalled,
        guardChecked: watchers.guardChecked,
      })
      inForce = loaded
      return snapshot
    },
    refused: (error) => {
      metrics.configSynchronized(false)
      log.error('Failed to reload config', { error })
    },
  })

  const readiness = new Readiness(dependencies)
  const listening = readiness.pending('listeners')
  const servers = await adminServers(settings, {
    version: buildInfo.version,
    admin: [
      configDumpEndpoint(
        () => dumpConfig(inForce, buildInfo, (backend, target) => mcp.book.target(backend, target)),
        watchers.redaction,
      ),
      traceEndpoint(
        new TraceSse(trace, {
          onDropped: (count) => {
            metrics.traceEventsDropped(count)
          },
        }),
        watchers.filter,
      ),
      dependenciesEndpoint(() => dependencies.statuses),
      ...celEndpoints(() => functionsOf(inForce.resources.functions)),
      quitEndpoint(() => end.quit()),
    ],
    stats: statsEndpoints(() => metrics.text()),
    readiness: [readinessEndpoint(readiness)],
    onError: (error, path) => {
      log.error('an admin endpoint failed', { error, path })
    },
  })

  let reloading: Subscription | undefined
  const end = shutdown({
    settings,
    watchers,
    readiness,
    ports,
    mcp,
    servers,
    registry,
    stopReloading: () => reloading?.unsubscribe(),
  })
  const announcement = new Announcement()
  const apply = async (snapshot: Snapshot): Promise<readonly { readonly message: string }[]> => {
    const failures = await ports.apply(snapshot)
    announcement.listens(gatewayAddresses(snapshot.resources, ports.addresses()))
    for (const { message } of failures) log.error(message)
    for (const warning of inForce.warnings) log.warn(formatWarning(warning, inForce.name))
    metrics.configSynchronized(true)
    log.info('configuration in force', { hash: snapshot.hash })
    return failures
  }
  const [failure] = await new Promise<readonly { readonly message: string }[]>((resolve, reject) => {
    reloading = snapshots$.subscribe({
      next: (snapshot) => void apply(snapshot).then(resolve, reject),
      error: reject,
    })
  })
  listening()

  if (failure) {
    await end.atOnce()
    throw new StartFailure(failure.message)
  }
  const own = servers.addresses.map(({ name, address }) => ({ name, url: `http://${address}` }))
  announcement.listens(own)
  announcement.ready(inForce.resources, [...gatewayAddresses(inForce.resources, ports.addresses()), ...own])
  return end
}

const watched = (file: string, named$: Observable<readonly string[]>) =>
  named$.pipe(map((named) => [file, ...named]))
