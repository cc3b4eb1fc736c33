import type { Socket } from 'node:net'
import { Pool } from 'undici'
import type { ActiveCheck } from './schema/normal-form.ts'
import type { CheckRun, HealthChecks } from '../health-checks/health-checks.ts'
import { type DialAddress, addressName } from '../connect/dial.ts'
import { RemovableTarget } from '../connect/removable-target.ts'
import { type Connect, EndpointAgent } from '../http/endpoint-agent.ts'
import { hashText } from './rendezvous-hash.ts'
import { EndpointHealth } from './outlier-detection.ts'
import { Http2Pool } from '../http/http2-pool.ts'
import type { Closable } from '../draining.ts'
import { PooledClient } from '../http/pooled-client.ts'
import { retireClients } from '../http/drain-clients.ts'
import type { ClientOptions } from '../http/client-options.ts'
import type { HttpProxy } from '../connect/http-proxy.ts'
import {
  addSockets,
  listClient,
  noSockets,
  unlistClient,
  type UpstreamClient,
  type UpstreamSockets,
} from '../upstream-clients.ts'

/** How the connections to the endpoints of an upstream are made and kept, and who checks them. */
export interface EndpointOptions extends ClientOptions {
  /** Set if its backend has a `health` policy. */
  readonly supervision?: Supervision | undefined
}

/** How the health of an endpoint is supervised. */
export interface Supervision {
  readonly slowStartMs: number | undefined
  readonly check: ActiveCheck | undefined
  readonly checks: HealthChecks
  /** Called whenever it is excluded, and when it is used again. */
  readonly changed: (endpoint: Supervised, now: number) => void
}

/** An endpoint, or a name without addresses: what has health. */
export interface Supervised {
  readonly name: string
  readonly health: EndpointHealth
}

/** Response heads may be larger than request heads: cookies and policies come from trusted servers. */
const MAX_HEAD_BYTES = 65_536
/** An upstream's own keep-alive hint is used, less the time a request may be in transit. */
const KEEP_ALIVE_MARGIN_MS = 1_000

/** One address of an upstream, and everything about it that outlives a request: connections and health. */
export class Endpoint extends RemovableTarget implements Closable, UpstreamClient {
  readonly kind = 'http'
  /** `host:port` or `unix:/path`, as in logs and traces. */
  readonly name: string
  readonly options: EndpointOptions
  readonly health: EndpointHealth
  readonly seed: number
  /** The proxy that HTTP/1.1 requests are forwarded to, instead of tunnelling through it. */
  readonly forwarder: HttpProxy | undefined
  readonly #unreachable: () => void
  #pool: Pool | undefined = undefined
  /** The connections of the pool, open or not. */
  #pooled: Set<PooledClient> | undefined = undefined
  #agent: EndpointAgent | undefined = undefined
  #http2: Http2Pool | undefined = undefined
  #closing: Promise<void> | undefined = undefined
  readonly #checking: CheckRun | undefined

  /** @param unreachable Called for every connection that could not be opened. */
  constructor(address: DialAddress, options: EndpointOptions, unreachable: () => void = ignore) {
    super(address)
    this.#unreachable = unreachable
    this.name = addressName(address)
    this.options = options
    this.seed = hashText(this.name)
    this.forwarder = isNamedByAddress(address, options) && !options.tls ? options.proxy : undefined
    const { supervision } = options
    this.health = supervision ? this.#supervised(supervision) : new EndpointHealth({ now: performance.now() })
    this.#checking = supervision && this.#check(supervision)
    listClient(this)
  }

  /** HTTP/1.1 connections for nearly everything; the first call opens one. */
  get pool(): Pool {
    return (this.#pool ??= this.#openPool())
  }

  /** HTTP/1.1 connections for requests that undici cannot send. */
  get agent(): EndpointAgent {
    return (this.#agent ??= new EndpointAgent(this.#dialHttp1(), this.options.poolIdleTimeoutMs))
  }

  get http2(): Http2Pool {
    const { protocol, poolIdleTimeoutMs, poolMaxSize, tls } = this.options
    return (this.#http2 ??= new Http2Pool({
      open: this.#dial(protocol === 'negotiated' ? ['h2', 'http/1.1'] : ['h2']),
      idleTimeoutMs: poolIdleTimeoutMs,
      maxConnections: poolMaxSize,
      negotiated: tls !== undefined,
    }))
  }

  /** Its sockets now; of tunnels and upgrades only those that `node:http` keeps. Pauses after each pooled connection. */
  *sockets(): Generator<undefined, UpstreamSockets> {
    const pool = yield* this.#pooledSockets()
    const agent = this.#agent?.counts() ?? noSockets
    return addSockets(addSockets(pool, agent), this.#http2?.counts() ?? noSockets)
  }

  /** No configuration has it any more: it takes no calls. */
  get isClosing(): boolean {
    return this.#closing !== undefined
  }

  /** Finishes the calls under way; idle connections close at once. */
  close(): Promise<void> {
    return (this.#closing ??= this.#close())
  }

  /** Closes everything at once. */
  async destroy(): Promise<void> {
    unlistClient(this)
    void this.#checking?.stop()
    this.#agent?.destroy()
    this.#http2?.destroy()
    await this.#pool?.destroy()
  }

  async #close(): Promise<void> {
    await Promise.all([
      this.#checking?.stop(),
      this.#pool?.close(),
      this.#agent?.close(),
      this.#http2?.close(),
    ])
    unlistClient(this)
  }

  // Closures of the constructor would keep a scope for each endpoint, supervised or not: there may be ten thousand.
  #supervised(supervision: Supervision): EndpointHealth {
    const changed = (at: number) => {
      supervision.changed(this, at)
    }
    return new EndpointHealth({ ...supervision, now: performance.now(), changed })
  }

  #check({ check, checks }: Supervision): CheckRun | undefined {
    const { name, address, options } = this
    return (
      check &&
      checks.begin({ name, address, options, check }, (failing) => {
        this.health.checked(performance.now(), failing)
      })
    )
  }

  #openPool(): Pool {
    const { poolIdleTimeoutMs, poolMaxSize, tls, proxy } = this.options
    const connect = this.#dialHttp1()
    const pooled = (this.#pooled ??= new Set())
    // The origin is a placeholder: connections are opened by `dial`, and every request has its own host.
    const pool = new Pool('http://upstream', {
      connections: poolMaxSize ?? null,
      pipelining: 1,
      allowH2: false,
      maxHeaderSize: MAX_HEAD_BYTES,
      keepAliveTimeout: poolIdleTimeoutMs,
      keepAliveMaxTimeout: poolIdleTimeoutMs,
      keepAliveTimeoutThreshold: KEEP_ALIVE_MARGIN_MS,
      factory: (origin, options) => {
        const client = new PooledClient(origin, options, connect, !tls && !proxy)
        pooled.add(client)
        return client
      },
    })
    pool.on('connectionError', (_origin, targets) => pooled.delete(targets.at(-1) as PooledClient))
    retireClients(pool)
    return pool
  }

  /** `Pool.stats` does the same in one go: milliseconds for thousands of connections. */
  *#pooledSockets(): Generator<undefined, UpstreamSockets> {
    let sockets = noSockets
    // Others may come while this pauses.
    const pooled = this.#pooled ?? noClients
    let left = pooled.size
    for (const { stats } of pooled) {
      if (left-- <= 0) break
      const { connected, running, size } = stats
      sockets = addSockets(sockets, {
        open: connected ? 1 : 0,
        // A connection serves one call at a time.
        idle: connected && running === 0 ? 1 : 0,
        calls: running,
        pendingCalls: size - running,
      })
      yield undefined
    }
    // Only limited pools have a queue.
    const queued = this.options.poolMaxSize === undefined ? 0 : (this.#pool?.stats.queued ?? 0)
    return { ...sockets, pendingCalls: sockets.pendingCalls + queued }
  }

  #dialHttp1(): Connect {
    const { forwarder } = this
    if (!forwarder) return this.#dial(['http/1.1'])
    return (connected) => forwarder.reach(connected, this.options.connected)
  }

  #dial(alpn: readonly string[]): Connect {
    return (connected, raw) => {
      const dialled = (error: Error | null, socket: Socket | null) => {
        if (!socket) this.#unreachable()
        connected(error, socket)
      }
      this.connect(this.options, alpn, dialled, raw)
    }
  }
}

const noClients: ReadonlySet<PooledClient> = new Set()

const ignore = (): void => undefined

/** A forward proxy sees only the target of a request: a host that differs from the address would be lost. */
const isNamedByAddress = (address: DialAddress, { host }: EndpointOptions): boolean =>
  'host' in address || ('ip' in address && (host === address.ip || host === `[${address.ip}]`))
