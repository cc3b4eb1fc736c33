import { internalUpstreams } from './admin/internal-upstream.ts'
import { envAttributes } from './cel/context/process-env.ts'
import { ConfigurationCompiler } from './config/compile.ts'
import { formatWarning } from './config/errors.ts'
import type { LoadedConfig } from './config/load.ts'
import { restartRequired } from './config/restart-required.ts'
import { checkInsertedRoutes } from './insert-stages.ts'
import type { ConfigWarning } from './model/resources/resources.ts'
import type { Snapshot } from './model/resources/snapshot.ts'
import { faultReply } from './pipeline/fault-reply.ts'
import type { Runtime } from './runtime.ts'
import type { PortFailure } from './streams/http/port/ports.ts'

/**
 * Compiles a configuration and puts it in force. A large one takes several turns of the event loop.
 *
 * @param signal Ends compiling, with its reason: a newer configuration supersedes this one.
 * @throws the error of an invalid configuration; the one before stays in force.
 */
export const compileSnapshot = async (
  runtime: Runtime,
  loaded: LoadedConfig,
  signal?: AbortSignal,
): Promise<Snapshot> => {
  const { telemetry, insertions, ending } = runtime
  const began = performance.now()
  telemetry.logFiles.prepare(loaded.resources)
  checkInsertedRoutes(insertions, loaded.resources)
  const until = signal ? AbortSignal.any([signal, ending.signal]) : ending.signal
  const snapshot = await compilerOf(runtime).compile(loaded, until)
  if (loaded !== runtime.inForce) runtime.history.reloaded(runtime.inForce, loaded)
  runtime.inForce = loaded
  telemetry.logFiles.keep(loaded.resources)
  telemetry.logs.config.debug?.('compiled', { hash: loaded.hash, tookMs: msSince(began) })
  return snapshot
}

/**
 * Compiles a configuration and throws the result away.
 *
 * @throws the error of an invalid configuration.
 */
export const tryOutSnapshot = async (
  runtime: Runtime,
  loaded: LoadedConfig,
  signal: AbortSignal,
): Promise<void> => {
  const { insertions, ending } = runtime
  checkInsertedRoutes(insertions, loaded.resources)
  await compilerOf(runtime).tryOut(loaded, AbortSignal.any([signal, ending.signal]))
}

const compilerOf = (runtime: Runtime): ConfigurationCompiler => {
  const compiler = compilers.get(runtime) ?? newCompiler(runtime)
  compilers.set(runtime, compiler)
  return compiler
}

/** One for each gateway, since it takes over from one configuration to the next what has not changed. */
const compilers = new WeakMap<Runtime, ConfigurationCompiler>()

const newCompiler = (runtime: Runtime): ConfigurationCompiler => {
  const { settings, registry, dependencies, sealing, mcp, telemetry, insertions } = runtime
  const { log, metrics } = telemetry
  return new ConfigurationCompiler({
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
}

/** Starts to serve a snapshot. Resolves with the binds that could not be opened; the others serve. */
export const applySnapshot = async (
  runtime: Runtime,
  snapshot: Snapshot,
): Promise<readonly PortFailure[]> => {
  const { ports, telemetry } = runtime
  const { log, metrics } = telemetry
  const began = performance.now()
  // Before the ports: the first exchange under the snapshot may end at once.
  telemetry.otlp.apply(snapshot)
  const failures = await ports.apply(snapshot)
  telemetry.logs.config.debug?.('ports serve it', { ports: snapshot.binds.size, tookMs: msSince(began) })
  for (const { message } of failures) log.error(message)
  warnOfFile(runtime)
  metrics.configSynchronized(failures.length === 0)
  if (failures.length === 0) log.info('configuration in force', { hash: snapshot.hash })
  else log.error('only a part of the configuration could be applied', { hash: snapshot.hash })
  return failures
}

/** Once for each version of a file, however often a control plane changes what is beside it. */
const warnOfFile = ({ settings, inForce, telemetry: { log } }: Runtime): void => {
  if (warnedOf.has(inForce.warnings)) return
  warnedOf.add(inForce.warnings)
  for (const warning of inForce.warnings) log.warn(formatWarning(warning, inForce.name))
  const fields = restartRequired(settings, inForce.process)
  if (fields.length > 0) log.warn('changed fields need a restart', { fields: fields.join(' ') })
}

/** Lists of warnings that were logged. */
const warnedOf = new WeakSet<readonly ConfigWarning[]>()

/** Rounded, for the log. */
export const msSince = (began: number): number => Math.round((performance.now() - began) * 10) / 10

/** Records a failure of an admin endpoint. */
export const adminFailed =
  ({ telemetry: { log } }: Runtime) =>
  (error: unknown, path: string): void => {
    log.error('an admin endpoint failed', { error, path })
  }
