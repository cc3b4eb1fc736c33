import {
  BehaviorSubject,
  config as rxjs,
  filter,
  map,
  merge,
  NEVER,
  type Observable,
  type Subscription,
} from 'rxjs'
import { applySnapshot, compileSnapshot } from './apply-snapshot.ts'
import type { ConfigSource } from './config/command-line.ts'
import { type LoadedConfig, loadConfig } from './config/load.ts'
import type { Snapshot } from './model/resources/snapshot.ts'
import { type RuntimeEnvironment, openRuntime, type Runtime } from './runtime.ts'
import { serve } from './serve.ts'
import type { Shutdown } from './shutdown.ts'
import { gatewayAddresses, StartupMessage } from './startup-message.ts'
import { changesOfListed } from './streams/config/file-changes.ts'
import { snapshots } from './streams/config/snapshots.ts'
import type { PortFailure } from './streams/http/port/ports.ts'

/** A running gateway. */
export type Daemon = Pick<Shutdown, 'quit' | 'ended'>

/**
 * Serves a configuration and follows its changes; prints addresses on standard output.
 *
 * @param reloads$ Emits when the configuration must be read again, whether it has changed or not.
 * @throws ConfigError for a configuration that cannot be used; StartFailure, naming the address, for a port that cannot be opened.
 */
export const startDaemon = async (
  source: ConfigSource,
  env: RuntimeEnvironment,
  reloads$: Observable<unknown> = NEVER,
): Promise<Daemon> => {
  const files$ = new BehaviorSubject<readonly string[]>([])
  const load = () =>
    loadConfig(source, env, (files) => {
      files$.next(files)
    })
  const first = await load()
  const runtime = openRuntime(first, { env })
  const { log } = runtime.telemetry
  // rxjs would otherwise rethrow an error of a subscriber from a timer, and end the process.
  rxjs.onUnhandledError = (error: unknown) => {
    log.error('a subscriber failed', { error })
  }
  const snapshots$ = snapshotsOf(runtime, load, changesOf(runtime, files$, reloads$))
  const startup = new StartupMessage()
  let reloading: Subscription | undefined
  const follow = () =>
    new Promise<readonly PortFailure[]>((resolve, reject) => {
      const apply = async (snapshot: Snapshot) => {
        const failures = await applySnapshot(runtime, snapshot)
        startup.listens(gatewayAddresses(snapshot.resources, runtime.ports.addresses()))
        return failures
      }
      reloading = snapshots$.subscribe({
        next: (snapshot) => void apply(snapshot).then(resolve, reject),
        error: reject,
      })
    })
  const serving = await serve(runtime, follow, () => reloading?.unsubscribe())
  startup.listens(serving.addresses())
  startup.ready(runtime.inForce.resources, serving.addresses())
  return serving
}

/** Emits when the configuration file or a file that it names has changed, and for each requested reload. */
const changesOf = (
  { inForce: first, telemetry: { log } }: Runtime,
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
  return merge(changesOfListed(files$.pipe(map((files) => [path, ...files]))), requested$)
}

const snapshotsOf = (
  runtime: Runtime,
  load: () => Promise<LoadedConfig>,
  changes$: Observable<unknown>,
): Observable<Snapshot> =>
  snapshots({
    first: runtime.inForce,
    changes$,
    load,
    compile: (loaded: LoadedConfig) => compileSnapshot(runtime, loaded),
    refused: (error) => {
      runtime.telemetry.metrics.configSynchronized(false)
      runtime.telemetry.log.error('Failed to reload config', { error })
    },
  })
