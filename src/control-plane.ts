import { type Observable, tap } from 'rxjs'
import type { LoadedConfig } from './config/load.ts'
import { isJoined, type JoinedConfig, XdsJoin } from './config/xds/with-xds.ts'
import { XdsState } from './config/xds/xds-state.ts'
import type { Snapshot } from './model/resources/snapshot.ts'
import type { XdsSettings } from './model/resources/xds-settings.ts'
import type { Runtime } from './runtime.ts'
import { xdsUpdates } from './streams/config/xds.ts'

/** The control plane as a second source of the configuration, beside the file. */
export interface ControlPlane {
  /** A file, by default the one in force, with what the control plane has sent so far. */
  readonly join: (file?: LoadedConfig) => JoinedConfig
  /** Emits with each update. */
  readonly updates$: Observable<unknown>
  /** A configuration serves: the first one with resources of the control plane makes the gateway ready. */
  readonly serves: (snapshot: Pick<Snapshot, 'hash'>) => void
}

/** Connects the gateway with its control plane. The gateway is not ready before it has the first set of resources. */
export const controlPlane = (runtime: Runtime, settings: XdsSettings): ControlPlane => {
  const { log, logs } = runtime.telemetry
  const state = new XdsState(runtime.inForce.shared)
  const xds = new XdsJoin(state)
  const received = runtime.readiness.pending('control plane')
  let isAway = false
  let hasFirst = false
  let isPending = true
  /** Hashes of configurations with the first set of resources, until one of them serves. */
  const complete = new Set<string>()
  const updates$ = xdsUpdates({
    settings,
    upstream: runtime.settings.upstream,
    accept: (delta) => state.apply(delta),
    onLost: (error, pauseMs) => {
      // One line for each time it goes, however many attempts fail meanwhile.
      if (isAway) logs.config.debug?.('the control plane cannot be reached', { error, pauseMs })
      else log.warn('the control plane is away: the gateway goes on with what it has', { error })
      isAway = true
    },
  }).pipe(
    tap(({ refused }) => {
      if (isAway || !hasFirst) log.info('connected to the control plane', { resources: state.size })
      isAway = false
      hasFirst = true
      for (const { name, problem } of refused)
        log.warn('a resource of the control plane is refused', { resource: name, error: problem })
    }),
  )
  return {
    join: (file) => {
      const joined = xds.join(file ?? fileOf(runtime.inForce), file === undefined)
      if (hasFirst && isPending) complete.add(joined.hash)
      return joined
    },
    updates$,
    serves: ({ hash }) => {
      if (!complete.has(hash)) return
      isPending = false
      complete.clear()
      received()
    },
  }
}

const fileOf = (config: LoadedConfig): LoadedConfig => (isJoined(config) ? config.ofFile : config)
