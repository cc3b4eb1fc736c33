import type { Observable } from 'rxjs'
import { compileSnapshot, tryOutSnapshot } from './apply-snapshot.ts'
import type { LoadedConfig } from './config/load.ts'
import { fileOf, XdsJoin } from './config/xds/with-xds.ts'
import { type ResourceWarning, XdsState } from './config/xds/xds-state.ts'
import { XdsUpdates } from './config/xds/xds-updates.ts'
import type { Snapshot } from './model/resources/snapshot.ts'
import type { XdsSettings } from './model/resources/xds-settings.ts'
import type { Runtime } from './runtime.ts'
import type { Log } from './sinks/log/log.ts'
import { xdsUpdates } from './streams/config/xds.ts'
import type { PortFailure } from './streams/http/port/ports.ts'

/** A file that is to be compiled with what the control plane has sent. */
export interface FileToJoin extends LoadedConfig {
  /** Only the control plane has sent something: the file is the one in force. */
  readonly isUpdate: boolean
}

/** The control plane as a second source of the configuration, beside the file. */
export interface ControlPlane {
  /** A file, by default the one in force, to be compiled with what the control plane has sent by then. */
  readonly join: (file?: LoadedConfig) => FileToJoin
  /** Emits with each update. */
  readonly updates$: Observable<unknown>
  /** Compiles a configuration with what the control plane has sent, without the resources of an update that cannot be compiled. */
  readonly compile: (file: LoadedConfig | FileToJoin, signal: AbortSignal) => Promise<Snapshot>
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
  const updates = new XdsUpdates(state, (warnings) => {
    logWarnings(log, warnings)
  })
  const received = runtime.readiness.pending('control plane')
  const refused = new Map<string, string>()
  let since = new Date()
  let lastError: string | undefined
  let isAway = false
  let hasFirst = false
  let isPending = true
  const updates$ = xdsUpdates({
    settings,
    upstream: runtime.settings.upstream,
    accept: async (delta, onDue) => {
      const applied = await updates.apply(delta, onDue)
      for (const { name } of delta.resources) refused.delete(name)
      for (const name of delta.removed) refused.delete(name)
      if (isAway || !hasFirst) {
        since = new Date()
        // A new stream brings again what was refused, unless it is gone.
        refused.clear()
      }
      if (isAway || !hasFirst) log.info('connected to the control plane', { resources: state.size })
      isAway = false
      hasFirst = true
      return applied
    },
    onRefused: ({ name, problem }) => {
      refused.set(name, problem)
      log.warn('a resource of the control plane is refused', { resource: name, error: problem })
    },
    onLost: (error, pauseMs) => {
      if (!isAway) since = new Date()
      lastError = error instanceof Error ? error.message : String(error)
      // One line for each time it goes, however many attempts fail meanwhile.
      if (isAway) logs.config.debug?.('the control plane cannot be reached', { error, pauseMs })
      else log.warn('the control plane cannot be reached: the last configuration stays in force', { error })
      isAway = true
    },
  })
  runtime.controlPlaneStatus = () => {
    const connected = hasFirst && !isAway
    return {
      connected,
      since: since.toISOString(),
      ...(!connected && lastError !== undefined && { error: lastError }),
      resources: state.versions,
      refused: Array.from(refused, ([name, problem]) => ({ name, problem })),
    }
  }
  return {
    join: (file) => ({ ...(file ?? fileOf(runtime.inForce)), isUpdate: file === undefined }),
    updates$,
    compile: (file, signal) => {
      const isUpdate = 'isUpdate' in file && file.isUpdate
      const joined = () => xds.join(file, isUpdate)
      return updates.compile(
        {
          isUpdate,
          tryOut: async () => tryOutSnapshot(runtime, await joined(), signal),
          compile: async () => compileSnapshot(runtime, await joined(), signal),
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

/** A first update may have thousands. */
const WARNINGS_SHOWN = 100

const logWarnings = (log: Log, warnings: readonly ResourceWarning[]): void => {
  for (const { name, warning } of warnings.slice(0, WARNINGS_SHOWN))
    log.warn('a resource of the control plane has a warning', { resource: name, warning })
  if (warnings.length > WARNINGS_SHOWN)
    log.warn('more warnings of the control plane are not logged', { count: warnings.length - WARNINGS_SHOWN })
}
