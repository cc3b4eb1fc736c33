import type { Observable } from 'rxjs'
import { compileSnapshot, tryOutSnapshot } from './apply-snapshot.ts'
import type { LoadedConfig } from './config/load.ts'
import { isJoined, type JoinedConfig, XdsJoin } from './config/xds/with-xds.ts'
import { XdsState } from './config/xds/xds-state.ts'
import { XdsUpdates } from './config/xds/xds-updates.ts'
import type { Snapshot } from './model/resources/snapshot.ts'
import type { XdsSettings } from './model/resources/xds-settings.ts'
import type { Runtime } from './runtime.ts'
import { xdsUpdates } from './streams/config/xds.ts'
import type { PortFailure } from './streams/http/port/ports.ts'

/** The control plane as a second source of the configuration, beside the file. */
export interface ControlPlane {
  /** A file, by default the one in force, with what the control plane has sent so far. */
  readonly join: (file?: LoadedConfig) => JoinedConfig
  /** Emits with each update. */
  readonly updates$: Observable<unknown>
  /** Compiles a joined configuration, without the resources of an update that cannot be compiled. */
  readonly compile: (joined: LoadedConfig, signal: AbortSignal) => Promise<Snapshot>
  /**
   * A snapshot serves: the first one with resources of the control plane makes the gateway ready.
   *
   * @param failures Ports that are not open.
   */
  readonly serves: (snapshot: Snapshot, failures: readonly PortFailure[]) => void
}

/** Connects the gateway with its control plane. The gateway is not ready before it has the first set of resources. */
export const controlPlane = (runtime: Runtime, settings: XdsSettings): ControlPlane => {
  const { log, logs } = runtime.telemetry
  const state = new XdsState(runtime.inForce.shared)
  const xds = new XdsJoin(state)
  const updates = new XdsUpdates(state)
  const received = runtime.readiness.pending('control plane')
  let isAway = false
  let hasFirst = false
  let isPending = true
  const updates$ = xdsUpdates({
    settings,
    upstream: runtime.settings.upstream,
    accept: async (delta, onDue) => {
      const applied = await updates.apply(delta, onDue)
      if (isAway || !hasFirst) log.info('connected to the control plane', { resources: state.size })
      isAway = false
      hasFirst = true
      return applied
    },
    onRefused: ({ name, problem }) => {
      log.warn('a resource of the control plane is refused', { resource: name, error: problem })
    },
    onLost: (error, pauseMs) => {
      // One line for each time it goes, however many attempts fail meanwhile.
      if (isAway) logs.config.debug?.('the control plane cannot be reached', { error, pauseMs })
      else log.warn('the control plane cannot be reached: the last configuration stays in force', { error })
      isAway = true
    },
  })
  const join: ControlPlane['join'] = (file) => xds.join(file ?? fileOf(runtime.inForce), file === undefined)
  return {
    join,
    updates$,
    compile: (joined, signal) => {
      const { isUpdate } = joined as JoinedConfig
      const again = () => xds.join(fileOf(joined), isUpdate)
      return updates.compile(
        {
          isUpdate,
          tryOut: () => tryOutSnapshot(runtime, again(), signal),
          compile: () => compileSnapshot(runtime, again(), signal),
        },
        signal,
      )
    },
    serves: (snapshot, failures) => {
      const hasUpdates = updates.serves(snapshot, failures)
      if (!isPending || !hasUpdates) return
      isPending = false
      received()
    },
  }
}

const fileOf = (config: LoadedConfig): LoadedConfig => (isJoined(config) ? config.ofFile : config)
