import {
  BehaviorSubject,
  config as rxjs,
  filter,
  map,
  merge,
  NEVER,
  type Observable,
  type Subscription,
  tap,
} from 'rxjs'
import type { HeapSampling } from './admin/profiling/heap-sampling.ts'
import { applySnapshot, compileSnapshot, msSince } from './apply-snapshot.ts'
import type { ControlPlane } from './control-plane.ts'
import type { ConfigSource } from './config/command-line.ts'
import { type LoadedConfig, loadConfig } from './config/load.ts'
import { silentLogs } from './model/log/module-log.ts'
import type { Snapshot } from './model/resources/snapshot.ts'
import { type RuntimeEnvironment, openRuntime, type Runtime } from './runtime.ts'
import { serve } from './serve.ts'
import type { Shutdown } from './shutdown.ts'
import type { Log } from './sinks/log/log.ts'
import { gatewayAddresses, StartupMessage } from './startup-message.ts'
import { changesOfListed } from './streams/config/file-changes.ts'
import { snapshots } from './streams/config/snapshots.ts'
import type { PortFailure } from './streams/http/port/ports.ts'
import { type InheritedSockets, inheritedSockets } from './streams/systemd/inherited-sockets.ts'
import { serviceManager } from './streams/systemd/notify.ts'
import { beginWork } from './model/introspection/active-work.ts'

/** A running gateway. */
export type Daemon = Pick<Shutdown, 'quit' | 'ended'>

/** What a daemon gets of its process. */
export interface DaemonOptions {
  /** Emits when the configuration must be read again, whether it has changed or not. */
  readonly reloads$?: Observable<unknown>
  /** Emits when log files were renamed and must be opened again. */
  readonly reopens$?: Observable<unknown>
  /** Samples of the allocations of the process, for `/debug/pprof/heap`. */
  readonly heapSampling?: HeapSampling | undefined
}

/**
 * Serves a configuration and follows its changes; prints addresses on standard output.
 *
 * @throws ConfigError for a configuration that cannot be used; StartFailure, naming the address, for a port that cannot be opened.
 */
export const startDaemon = async (
  source: ConfigSource,
  env: RuntimeEnvironment,
  { reloads$ = NEVER, reopens$ = NEVER, heapSampling }: DaemonOptions = {},
): Promise<Daemon> => {
  const files$ = new BehaviorSubject<readonly string[]>([])
  let logs = silentLogs
  const load = async () => {
    const began = performance.now()
    logs.config.debug?.('the configuration is read')
    const end = beginWork('reload', 'configuration')
    const loaded = await loadConfig(source, env, (files) => {
      files$.next(files)
    }).finally(end)
    const { hash, warnings } = loaded
    logs.config.debug?.('loaded and checked', { hash, warnings: warnings.length, tookMs: msSince(began) })
    return loaded
  }
  const first = await load()
  const inherited = inheritedSockets(env, process.pid)
  const runtime = openRuntime(first, { env, inherited, heapSampling })
  const { log, logFiles } = runtime.telemetry
  logs = runtime.telemetry.logs
  // rxjs would otherwise rethrow an error of a subscriber from a timer, and end the process.
  rxjs.onUnhandledError = (error: unknown) => {
    log.error('a subscriber failed', { error })
  }
  const { xds } = first.process
  // Most gateways have none, and need not load the libraries of gRPC.
  const plane = xds && (await import('./control-plane.ts')).controlPlane(runtime, xds)
  const snapshots$ = snapshotsOf(runtime, plane, load, changesOf(runtime, files$, reloads$))
  const startup = new StartupMessage()
  let reloading: Subscription | undefined
  const follow = () =>
    new Promise<readonly PortFailure[]>((resolve, reject) => {
      const apply = async (snapshot: Snapshot) => {
        const failures = await applySnapshot(runtime, snapshot)
        startup.listens(gatewayAddresses(snapshot.resources, runtime.ports.addresses()))
        plane?.serves(snapshot, failures)
        return failures
      }
      // A shutdown may begin before the first configuration is compiled.
      runtime.ending.signal.addEventListener('abort', () => resolve([]))
      reloading = snapshots$.subscribe({
        next: (snapshot) => void apply(snapshot).then(resolve, reject),
        error: reject,
      })
    })
  const serving = await serve(runtime, follow, () => reloading?.unsubscribe())
  const reopening = reopens$.subscribe(() => {
    logFiles.reopen()
  })
  void serving.ended.then(() => {
    reopening.unsubscribe()
  })
  startup.listens(serving.addresses())
  const { resources, process: settings } = runtime.inForce
  startup.ready(resources, serving.addresses(), settings.adminTokens.length === 0)
  supervise(serving, env, inherited, log)
  return serving
}

/** Informs the service manager, until the gateway has ended. */
const supervise = (
  { ended }: Daemon,
  env: RuntimeEnvironment,
  inherited: InheritedSockets,
  log: Log,
): void => {
  for (const { address, transport, fd } of inherited.rest)
    log.warn('no gateway has the address of an inherited socket', { address, transport, descriptor: fd })
  const manager = serviceManager({
    env,
    pid: process.pid,
    onFailure: (error) => {
      log.warn('the service manager could not be notified', { error })
    },
  })
  manager.ready()
  void ended.then(() => {
    manager.close()
  })
}

/** Emits when the configuration file or a file that it names has changed, and for each requested reload. */
const changesOf = (
  { inForce: first, telemetry: { log, logs } }: Runtime,
  files$: Observable<readonly string[]>,
  reloads$: Observable<unknown>,
): Observable<unknown> => {
  const { path, name } = first
  const requested$ = reloads$.pipe(
    filter(() => {
      if (path === undefined) log.warn('cannot reload: the configuration is no file', { source: name })
      return path !== undefined
    }),
  )
  if (path === undefined) return requested$
  const changed$ = changesOfListed(files$.pipe(map((files) => [path, ...files])))
  return merge(changed$, requested$).pipe(
    tap((change) =>
      logs.config.debug?.('a reload begins', { because: change === 'SIGHUP' ? change : 'a file changed' }),
    ),
  )
}

const snapshotsOf = (
  runtime: Runtime,
  plane: ControlPlane | undefined,
  load: () => Promise<LoadedConfig>,
  changes$: Observable<unknown>,
): Observable<Snapshot> =>
  snapshots({
    first: runtime.inForce,
    changes$,
    load,
    updates: plane,
    compile: (loaded: LoadedConfig, signal) =>
      plane ? plane.compile(loaded, signal) : compileSnapshot(runtime, loaded, signal),
    refused: (error) => {
      runtime.telemetry.metrics.configSynchronized(false)
      runtime.history.failed(error)
      runtime.telemetry.log.error('Failed to reload config', { error })
    },
  })
