import { internalUpstreams } from './admin/internal-upstream.ts'
import { envAttributes } from './cel/context/process-env.ts'
import { compileConfiguration } from './config/compile.ts'
import { formatWarning } from './config/errors.ts'
import type { LoadedConfig } from './config/load.ts'
import { restartRequired } from './config/restart-required.ts'
import { checkInsertedRoutes } from './insert-stages.ts'
import type { Snapshot } from './model/resources/snapshot.ts'
import { faultReply } from './pipeline/fault-reply.ts'
import type { Runtime } from './runtime.ts'
import type { PortFailure } from './streams/http/port/ports.ts'

/**
 * Compiles a configuration and puts it in force.
 *
 * @throws the error of an invalid configuration; the one before stays in force.
 */
export const compileSnapshot = (runtime: Runtime, loaded: LoadedConfig): Snapshot => {
  const { settings, registry, dependencies, sealing, mcp, telemetry, insertions } = runtime
  const { log, metrics } = telemetry
  checkInsertedRoutes(insertions, loaded.resources)
  const snapshot = compileConfiguration(loaded, {
    registry,
    rescuer: faultReply((bug, x) => {
      log.error('a stage failed', { error: bug, requestId: x.request.id })
    }),
    env: envAttributes(runtime.env),
    sensitiveHeaders: settings.sensitiveHeaders,
    dependencies,
    sealing,
    mcp,
    internal: internalUpstreams(runtime.admin, adminFailed(runtime)),
    observed: settings.metrics.add.map(([, expression]) => expression),
    evicted: (cache) => {
      metrics.evicted(cache)
    },
    policyCalled: telemetry.policyCalled,
    guardChecked: telemetry.guardChecked,
    insertions,
  })
  runtime.inForce = loaded
  return snapshot
}

/** Starts to serve a snapshot. Resolves with the binds that could not be opened; the others serve. */
export const applySnapshot = async (
  runtime: Runtime,
  snapshot: Snapshot,
): Promise<readonly PortFailure[]> => {
  const { settings, ports, telemetry } = runtime
  const { log, metrics } = telemetry
  const failures = await ports.apply(snapshot)
  const { inForce } = runtime
  for (const { message } of failures) log.error(message)
  for (const warning of inForce.warnings) log.warn(formatWarning(warning, inForce.name))
  const fields = restartRequired(settings, inForce.process)
  if (fields.length > 0) log.warn('changed fields need a restart', { fields: fields.join(' ') })
  metrics.configSynchronized(failures.length === 0)
  if (failures.length === 0) log.info('configuration in force', { hash: snapshot.hash })
  else log.error('only a part of the configuration could be applied', { hash: snapshot.hash })
  return failures
}

/** Records a failure of an admin endpoint. */
export const adminFailed =
  ({ telemetry: { log } }: Runtime) =>
  (error: unknown, path: string): void => {
    log.error('an admin endpoint failed', { error, path })
  }
