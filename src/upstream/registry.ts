import type { Evaluate } from '../model/evaluate.ts'
import type { Cel } from '../model/policies.ts'
import type { PoolSettings, UpstreamSettings } from '../model/process-settings.ts'
import type { Resources } from '../model/resources.ts'
import type { Snapshot } from '../model/snapshot.ts'
import type { Connected } from './dial.ts'
import type { Answered } from './mirror.ts'
import { type Lookup, type LookupFamily, systemLookup } from './name.ts'
import { RegistrySession } from './registry-session.ts'
import { Shelf } from './shelf.ts'
import { TcpDialler } from './tcp.ts'
import type { Workplace } from './workplace.ts'

/** What holds for every upstream of the process. */
export interface RegistryOptions {
  readonly upstream?: UpstreamSettings
  readonly guardrailWebhook?: PoolSettings
  readonly ipv6Enabled?: boolean
  readonly dnsLookupFamily?: LookupFamily
  /** Asks for addresses; the system's resolver by default. */
  readonly lookup?: Lookup
  /** Gives 0 ≤ number < 1, for balancing. */
  readonly random?: () => number
  /** Told whenever the pool of a dynamic destination had to make room for another one. */
  readonly evicted?: () => void
  /** Told of every connection to an upstream that was made. */
  readonly connected?: Connected
  /** Told of every mirrored copy of a request that was answered, or failed. */
  readonly mirrored?: Answered
}

/** Settings that nobody made. */
export const defaultUpstreamSettings: UpstreamSettings = {
  keepalives: { enabled: true, timeMs: 180_000, intervalMs: 180_000, retries: 9 },
  connectTimeoutMs: 10_000,
  poolIdleTimeoutMs: 90_000,
}

const defaultWebhookPool: PoolSettings = { poolIdleTimeoutMs: 300_000, poolMaxSize: 100 }

/** When everything ends, exchanges have ended before. What is left by then, such as mirrored copies, has this long. */
const CLOSE_GRACE_MS = 1_000

/** How often it is asked whether the exchanges of old snapshots have ended. */
const SWEEP_MS = 250

/**
 * Connection pools, balancers and name answers, which live longer than a snapshot. Each is known by what it is for, so
 * that the next configuration finds it again; what no configuration in use needs any more is closed, once the last
 * exchange that began under such a configuration has ended.
 *
 * @example
 * const session = registry.session(resources, expression)
 * const upstream = session.upstream({ kind: 'backend', key: 'default/api' }, {})
 * session.commit(snapshot) // or session.discard(), if compiling failed
 */
export class Registry {
  readonly #shelf = new Shelf()
  readonly #workplace: Workplace
  readonly #tcp: TcpDialler
  #current: Held | undefined = undefined
  #retired: Held[] = []
  #sweeping: NodeJS.Timeout | undefined = undefined

  constructor(options: RegistryOptions = {}) {
    this.#workplace = {
      settings: options.upstream ?? defaultUpstreamSettings,
      guardrailWebhook: options.guardrailWebhook ?? defaultWebhookPool,
      lookup: options.lookup ?? systemLookup(options.dnsLookupFamily ?? 'Auto', options.ipv6Enabled ?? true),
      random: options.random ?? Math.random,
      shelf: this.#shelf,
      evicted: options.evicted ?? (() => undefined),
      connected: options.connected,
      mirrored: options.mirrored,
    }
    this.#tcp = new TcpDialler(this.#workplace.settings, this.#workplace.lookup, options.connected)
  }

  /** Opens raw connections, for TCP routes. */
  get tcp(): TcpDialler {
    return this.#tcp
  }

  /** Things that are alive. */
  get size(): number {
    return this.#shelf.size
  }

  /**
   * Begins a configuration. It shares what it needs with the ones before, until it is committed or discarded.
   *
   * @param expression Parses an expression of the resources.
   * @param key The same for one that gives a key: its value becomes a text that tells it from others.
   */
  session(
    resources: Resources,
    expression: (text: Cel) => Evaluate,
    key: (text: Cel) => Evaluate = expression,
  ): RegistrySession {
    return new RegistrySession(this.#workplace, resources, expression, key, (session, snapshot) =>
      this.#commit({ session, snapshot }),
    )
  }

  /** Lets go of what old snapshots alone use, as far as their exchanges have ended. Happens by itself every so often. */
  sweep(): void {
    this.#retired = this.#retired.filter(({ session, snapshot }) => {
      if (snapshot.exchanges > 0) return true
      session.release()
      return false
    })
    clearTimeout(this.#sweeping)
    this.#sweeping = undefined
    if (this.#retired.length === 0) return
    this.#sweeping = setTimeout(() => this.sweep(), SWEEP_MS)
    this.#sweeping.unref()
  }

  /**
   * Ends everything: nothing new begins, and what is under way may finish. Settles when the last connection is closed.
   *
   * @param graceMs After this, what is still under way is cut off.
   */
  async close(graceMs: number = CLOSE_GRACE_MS): Promise<void> {
    clearTimeout(this.#sweeping)
    this.#retired = []
    this.#current = undefined
    await this.#shelf.close(graceMs)
  }

  #commit(next: Held): void {
    if (this.#current) this.#retired.push(this.#current)
    this.#current = next
    this.sweep()
  }
}

/** A snapshot, and what it holds on to. */
interface Held {
  readonly session: RegistrySession
  readonly snapshot: Snapshot
}
