import { type Observable, ReplaySubject, Subject, takeUntil } from 'rxjs'
import { applySnapshot, compileSnapshot } from './apply-snapshot.ts'
import type { ConfigSource } from './config/command-line.ts'
import { type LoadedConfig, loadConfig } from './config/load.ts'
import type { ConfigFile } from './config/schema/file-types.gen.ts'
import { checkInsertions, type Insertion } from './insert-stages.ts'
import type { Exchange } from './model/exchange/exchange.ts'
import type { ProcessSettings } from './model/resources/process-settings.ts'
import type { Snapshot } from './model/resources/snapshot.ts'
import { StartFailure } from './model/resources/start-failure.ts'
import type { TraceEvent } from './model/trace/trace-event.ts'
import { type RuntimeEnvironment, openRuntime, type Runtime } from './runtime.ts'
import { type Serving, serve } from './serve.ts'
import type { LogDestination } from './sinks/log/destination.ts'
import type { ListeningAddress } from './startup-message.ts'

/** A configuration: an object with the fields of a configuration file, its text, or its path. */
export type GatewayConfig = ConfigFile | string | { readonly file: string }

/** Options of an embedded gateway beyond its configuration. */
export interface GatewayOptions {
  /** Operators between the stages of the configuration; several in one position run in this order. */
  readonly insert?: readonly Insertion[]
  /**
   * The environment: values of `${NAME}` in the configuration, and settings such as `IPV6_ENABLED`. Empty by default.
   */
  readonly env?: RuntimeEnvironment
  /** The destination of log and access log, such as `logDestination()` of `agentgateway/sinks`. None by default. */
  readonly log?: LogDestination
  /** Whether to open the admin, stats and readiness servers at the addresses of the section `config`. Default false. */
  readonly adminServers?: boolean
}

/** A running gateway in this process. */
export interface Gateway extends AsyncDisposable {
  /**
   * Current listening addresses, such as `default` at `http://127.0.0.1:3000`, with the ports that the system chose.
   */
  readonly addresses: readonly ListeningAddress[]
  /**
   * Exchanges that have ended. Subscribers run on the stack of the connection: they should count and enqueue, not
   * block.
   */
  readonly exchanges$: Observable<Exchange>
  /**
   * Events of every exchange that begins while subscribed, without bodies and credentials, some milliseconds late.
   * Costs next to nothing without subscribers.
   */
  readonly trace$: Observable<TraceEvent>
  /** The snapshot in force, then each that replaces it. */
  readonly snapshots$: Observable<Snapshot>
  /**
   * Replaces the configuration; exchanges in flight keep theirs. Changes of the section `config` require a new gateway.
   *
   * @throws Like `createGateway`. The previous configuration stays in force.
   */
  apply(config: GatewayConfig): Promise<void>
  /**
   * Stops accepting, drains exchanges until `config.connectionTerminationDeadline`, and closes everything. Observables
   * complete.
   */
  close(): Promise<void>
}

/**
 * Starts a gateway in this process. Resolves once it listens.
 *
 * It installs no signal handlers, sets no V8 flags, writes no log and opens no servers of its own by default, and reads
 * only the files that the configuration names. The caller closes it.
 *
 * @throws ConfigError with every problem of the configuration; StartFailure, naming the address, for a port that cannot
 *   be opened; TypeError for an insertion that does not fit. Nothing is left open then.
 * @example
 * await using gateway = await createGateway({
 *   gateways: { default: { port: 0 } },
 *   routes: [{ gateways: 'default', backends: [{ host: '127.0.0.1:9000' }] }],
 * })
 * console.log(gateway.addresses)
 */
export const createGateway = async (
  config: GatewayConfig,
  options: GatewayOptions = {},
): Promise<Gateway> => {
  const { insert: insertions = [], env = {}, log = nowhere } = options
  checkInsertions(insertions)
  const load = async (from: GatewayConfig): Promise<LoadedConfig> => {
    const loaded = await loadConfig(sourceOf(from), env)
    return { ...loaded, process: settingsFor(loaded.process, options) }
  }
  const first = await load(config)
  const runtime = openRuntime(first, { env, insertions, destination: log })
  const inForce$ = new ReplaySubject<Snapshot>(1)
  const open = async () => {
    const snapshot = await compileSnapshot(runtime, first)
    inForce$.next(snapshot)
    return applySnapshot(runtime, snapshot)
  }
  const serving = await serve(runtime, open, () => undefined)
  return new RunningGateway(runtime, serving, load, inForce$)
}

class RunningGateway implements Gateway {
  readonly exchanges$: Observable<Exchange>
  readonly trace$: Observable<TraceEvent>
  readonly snapshots$: Observable<Snapshot>
  readonly #runtime: Runtime
  readonly #serving: Serving
  readonly #load: (config: GatewayConfig) => Promise<LoadedConfig>
  readonly #inForce$: Subject<Snapshot>
  readonly #closed$ = new Subject<void>()
  /** Configurations are applied one after the other. */
  #applied: Promise<unknown> = Promise.resolve()
  #isClosing = false

  constructor(
    runtime: Runtime,
    serving: Serving,
    load: (config: GatewayConfig) => Promise<LoadedConfig>,
    inForce$: Subject<Snapshot>,
  ) {
    this.#load = load
    this.#runtime = runtime
    this.#serving = serving
    this.#inForce$ = inForce$
    this.exchanges$ = runtime.telemetry.ends.ends$.pipe(takeUntil(this.#closed$))
    this.trace$ = runtime.telemetry.trace.events$
    this.snapshots$ = inForce$.asObservable()
    // The admin server can also end the gateway.
    void serving.ended.then(() => this.#complete())
  }

  get addresses(): readonly ListeningAddress[] {
    return this.#serving.addresses()
  }

  apply(config: GatewayConfig): Promise<void> {
    const applied = this.#applied.then(() => this.#replace(config))
    this.#applied = applied.catch(() => undefined)
    return applied
  }

  async close(): Promise<void> {
    this.#isClosing = true
    await this.#applied
    await this.#serving.quit()
    await this.#serving.ended
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #replace(config: GatewayConfig): Promise<void> {
    if (this.#isClosing) throw new Error('the gateway is closed')
    const before = this.#runtime.inForce
    const loaded = await this.#load(config)
    const [snapshot, failure] = await this.#serve(loaded)
    if (failure === undefined) {
      this.#inForce$.next(snapshot)
      return
    }
    const [restored] = await this.#serve(before)
    this.#inForce$.next(restored)
    throw new StartFailure(failure)
  }

  async #serve(loaded: LoadedConfig): Promise<readonly [snapshot: Snapshot, failure: string | undefined]> {
    const snapshot = await compileSnapshot(this.#runtime, loaded)
    const [failure] = await applySnapshot(this.#runtime, snapshot)
    return [snapshot, failure?.message]
  }

  #complete(): void {
    this.#isClosing = true
    this.#closed$.next()
    this.#closed$.complete()
    this.#inForce$.complete()
  }
}

const sourceOf = (config: GatewayConfig): ConfigSource => {
  if (typeof config === 'string') return { kind: 'text', text: config, name: '<configuration>' }
  if ('file' in config) return { kind: 'file', path: config.file }
  return { kind: 'text', text: JSON.stringify(config, undefined, 2), name: '<configuration>' }
}

const settingsFor = (
  settings: ProcessSettings,
  { log, adminServers = false }: GatewayOptions,
): ProcessSettings => ({
  ...settings,
  ...(!log && { logging: { ...settings.logging, level: 'off' } }),
  ...(!adminServers && { adminAddr: 'off', statsAddr: 'off', readinessAddr: 'off' }),
})

const nowhere: LogDestination = { write: () => undefined, flushSync: () => undefined }
