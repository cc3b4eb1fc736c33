import type { Evaluate } from '../model/exchange/expression.ts'
import type { Cel } from '../model/resources/policies.ts'
import type { PoolSettings, UpstreamSettings } from '../model/resources/process-settings.ts'
import type { ResourceLookup } from '../model/resources/resource-index.ts'
import type { Snapshot } from '../model/resources/snapshot.ts'
import type { EndpointStatus } from '../model/resources/endpoint-status.ts'
import type { HealthChecks } from './health-checks/health-checks.ts'
import { localHealthChecks } from './health-checks/local-health-checks.ts'
import type { Connected } from './connect/dial.ts'
import type { Supervised } from './load-balancing/endpoint.ts'
import { healthReport, membersOf, type Reported } from './load-balancing/health-report.ts'
import type { CalloutEvents } from './request-mirror.ts'
import { type Lookup, type LookupFamily, systemLookup } from './connect/dns-cache.ts'
import { RegistryTransaction } from './registry-transaction.ts'
import { SharedResources } from './shared-resources.ts'
import { TcpDialler } from './connect/tcp.ts'
import { UdpDialler } from './connect/udp.ts'
import type { RegistryContext } from './registry-context.ts'

/** Settings for every upstream of the process. */
export interface RegistryOptions {
  readonly upstream?: UpstreamSettings
  readonly guardrailWebhook?: PoolSettings
  readonly ipv6Enabled?: boolean
  readonly dnsLookupFamily?: LookupFamily
  /** Looks up addresses; the system's resolver by default. */
  readonly lookup?: Lookup
  /** Gives 0 ≤ number < 1, for balancing. */
  readonly random?: () => number
  /** Called whenever the pool of a dynamic destination was evicted for another one. */
  readonly evicted?: () => void
  /** Called with every connection to an upstream, and every attempt that failed. */
  readonly connected?: Connected
  /** Called with every mirrored request that got a response, or failed. */
  readonly mirrored?: CalloutEvents
  /** Checks endpoints; by default in this process. */
  readonly checks?: HealthChecks
  /** Called whenever an endpoint of the configuration is excluded, and when it is used again. */
  readonly healthChanged?: (status: EndpointStatus) => void
}

/** Default settings. */
export const defaultUpstreamSettings: UpstreamSettings = {
  keepalives: { enabled: true, timeMs: 180_000, intervalMs: 180_000, retries: 9 },
  connectTimeoutMs: 10_000,
  poolIdleTimeoutMs: 90_000,
}

const defaultWebhookPool: PoolSettings = { poolIdleTimeoutMs: 300_000, poolMaxSize: 100 }

/** Time for work that outlasts the last exchange, such as mirrored requests, when everything closes. */
const CLOSE_GRACE_MS = 1_000

const RELEASED_PER_TURN = 256

/** How often ended snapshots are released. */
const SWEEP_MS = 250

/**
 * Connection pools, balancers and DNS entries, which outlive a snapshot. Each has a key by its purpose, so that the
 * next configuration finds it again; resources that no configuration in use needs are closed, once the last exchange of
 * their configurations has ended.
 *
 * @example
 * const session = registry.session(resources, expression)
 * const upstream = session.upstream({ kind: 'backend', key: 'default/api' }, {})
 * session.commit(snapshot) // or session.discard(), if compiling failed
 */
export class Registry {
  readonly #sharedResources = new SharedResources()
  readonly #context: RegistryContext
  readonly #tcp: TcpDialler
  readonly #udp: UdpDialler
  readonly #healthChanged: (status: EndpointStatus) => void
  #current: SnapshotUse | undefined = undefined
  #retired: SnapshotUse[] = []
  #sweeping: NodeJS.Timeout | undefined = undefined
  /** Of snapshots that have ended. */
  #releasing: readonly RegistryTransaction[] = []
  #releasingNext: NodeJS.Immediate | undefined = undefined

  constructor(options: RegistryOptions = {}) {
    this.#context = {
      settings: options.upstream ?? defaultUpstreamSettings,
      guardrailWebhook: options.guardrailWebhook ?? defaultWebhookPool,
      lookup: options.lookup ?? systemLookup(options.dnsLookupFamily ?? 'Auto', options.ipv6Enabled ?? true),
      random: options.random ?? Math.random,
      sharedResources: this.#sharedResources,
      checks: options.checks ?? localHealthChecks(options.random ?? Math.random),
      healthChanged: (endpoint, now) => {
        this.#reportHealth(endpoint, now)
      },
      evicted: options.evicted ?? (() => undefined),
      connected: options.connected,
      mirrored: options.mirrored,
    }
    this.#healthChanged = options.healthChanged ?? (() => undefined)
    this.#tcp = new TcpDialler(this.#context.settings, this.#context.lookup, options.connected)
    this.#udp = new UdpDialler(this.#context.lookup)
  }

  /** Opens raw connections, for TCP routes. */
  get tcp(): TcpDialler {
    return this.#tcp
  }

  /** Opens sockets for datagrams, for UDP routes. */
  get udp(): UdpDialler {
    return this.#udp
  }

  /** Number of open resources. */
  get size(): number {
    return this.#sharedResources.size
  }

  /** The endpoints of the configuration in force that can be taken out. */
  get health(): readonly EndpointStatus[] {
    return healthReport(
      this.reported.filter(({ isSupervised }) => isSupervised),
      performance.now(),
    )
  }

  /** The destinations of the configuration in force, for reports of their endpoints. */
  get reported(): readonly Reported[] {
    return this.#current?.sessions.flatMap(({ reported }) => reported) ?? []
  }

  /**
   * Begins a configuration, or one part of it. It shares resources with the ones before, until it is committed or
   * discarded.
   *
   * @param expression Compiles an expression of the resources.
   * @param key Compiles an expression whose value becomes a string that identifies it.
   */
  session(
    resources: ResourceLookup,
    expression: (text: Cel) => Evaluate,
    key: (text: Cel) => Evaluate = expression,
  ): RegistryTransaction {
    return new RegistryTransaction(this.#context, resources, expression, key, (session, snapshot) =>
      this.commit(snapshot, [session]),
    )
  }

  /**
   * Puts a configuration in force that was compiled in parts. A part may belong to the one before as well: its resources
   * stay open for as long as a snapshot has it that is in force, or that an exchange uses.
   */
  commit(snapshot: Snapshot, sessions: readonly RegistryTransaction[]): void {
    // The new ones first: what both use must not close.
    for (const session of sessions) session.retain()
    if (this.#current) this.#retired.push(this.#current)
    this.#current = { sessions, snapshot }
    this.sweep()
  }

  /** Releases the resources of old snapshots whose exchanges have ended. Runs by itself at intervals. */
  sweep(): void {
    this.#retired = this.#retired.filter(({ sessions, snapshot }) => {
      if (snapshot.exchanges > 0) return true
      this.#releasing = [...this.#releasing, ...sessions]
      return false
    })
    this.#release()
    clearTimeout(this.#sweeping)
    this.#sweeping = undefined
    if (this.#retired.length === 0) return
    this.#sweeping = setTimeout(() => this.sweep(), SWEEP_MS)
    this.#sweeping.unref()
  }

  /**
   * Closes everything: nothing new begins, and work under way may finish. Settles when the last connection is closed.
   *
   * @param graceMs After this, the remaining work is cut.
   */
  async close(graceMs: number = CLOSE_GRACE_MS): Promise<void> {
    clearTimeout(this.#sweeping)
    clearImmediate(this.#releasingNext)
    this.#retired = []
    this.#releasing = []
    this.#current = undefined
    await this.#sharedResources.close(graceMs)
  }

  /** Some in each turn: to release those of 2,000 routes at once takes 20 ms. */
  #release(): void {
    clearImmediate(this.#releasingNext)
    for (const session of this.#releasing.slice(0, RELEASED_PER_TURN)) session.release()
    this.#releasing = this.#releasing.slice(RELEASED_PER_TURN)
    this.#releasingNext = this.#releasing.length > 0 ? setImmediate(() => this.#release()) : undefined
  }

  #reportHealth(endpoint: Supervised, now: number): void {
    const users = this.reported.filter(
      ({ endpoints, isSupervised }) => isSupervised && membersOf(endpoints, now).includes(endpoint),
    )
    const statuses = healthReport(
      users.map((user) => ({ ...user, endpoints: endpoint })),
      now,
    )
    const backend = statuses.map((status) => status.backend).join(', ')
    const [status] = statuses
    if (status) this.#healthChanged({ ...status, backend })
  }
}

/** A snapshot, and the resources that its parts use. */
interface SnapshotUse {
  readonly sessions: readonly RegistryTransaction[]
  readonly snapshot: Snapshot
}
