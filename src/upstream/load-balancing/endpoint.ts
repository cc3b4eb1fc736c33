import type { Socket } from 'node:net'
import { Pool } from 'undici'
import { dial, type DialOptions, type Place, placeName } from './dial.ts'
import { type Connect, EndpointAgent } from './endpoint-agent.ts'
import { hashText } from './hash.ts'
import { Health } from './health.ts'
import { Http2Pool } from './http2-pool.ts'
import type { Closable } from './leaving.ts'
import { PooledClient } from './pooled-client.ts'
import type { UpstreamProtocol } from './protocol.ts'
import type { HttpProxy } from './http-proxy.ts'

/** How the connections to the endpoints of an upstream are made and kept. */
export interface EndpointOptions extends DialOptions {
  /** Name or address of the upstream; matters behind a proxy. */
  readonly host?: string
  readonly proxy?: HttpProxy | undefined
  readonly protocol: UpstreamProtocol
  /** How long an idle connection is kept. */
  readonly poolIdleTimeoutMs: number
  /** Connections per endpoint; undefined is unlimited. */
  readonly poolMaxSize: number | undefined
}

/** Heads of answers may be larger than those of requests: cookies and policies come from our own side. */
const MAX_HEAD_BYTES = 65_536
/** An upstream that says how long it keeps a connection is believed, less the time a request may be on its way. */
const KEEP_ALIVE_MARGIN_MS = 1_000

/** One address of an upstream, and everything about it that outlives a request: connections, and how it did so far. */
export class Endpoint implements Closable {
  /** `host:port` or `unix:/path`: what logs and traces call it. */
  readonly name: string
  readonly place: Place
  readonly options: EndpointOptions
  readonly health = new Health()
  readonly seed: number
  /** The proxy that HTTP/1.1 requests are handed to, instead of asking it for a connection with the place. */
  readonly forwarder: HttpProxy | undefined
  readonly #unreachable: () => void
  #pool: Pool | undefined = undefined
  #agent: EndpointAgent | undefined = undefined
  #http2: Http2Pool | undefined = undefined
  #closing: Promise<void> | undefined = undefined

  /** @param unreachable Told of every connection that could not be made. */
  constructor(place: Place, options: EndpointOptions, unreachable: () => void = () => undefined) {
    this.place = place
    this.#unreachable = unreachable
    this.name = placeName(place)
    this.options = options
    this.seed = hashText(this.name)
    this.forwarder = isNamedByPlace(place, options) && !options.tls ? options.proxy : undefined
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

  /** Calls under way finish; idle connections are closed at once. */
  close(): Promise<void> {
    return (this.#closing ??= this.#close())
  }

  /** Ends everything at once. */
  async destroy(): Promise<void> {
    this.#agent?.destroy()
    this.#http2?.destroy()
    await this.#pool?.destroy()
  }

  async #close(): Promise<void> {
    await Promise.all([this.#pool?.close(), this.#agent?.close(), this.#http2?.close()])
  }

  #openPool(): Pool {
    const { poolIdleTimeoutMs, poolMaxSize, tls, proxy } = this.options
    const connect = this.#dialHttp1()
    // The origin only fills a place: connections are made by `dial`, and every request brings its host.
    return new Pool('http://upstream', {
      connections: poolMaxSize ?? null,
      pipelining: 1,
      allowH2: false,
      maxHeaderSize: MAX_HEAD_BYTES,
      keepAliveTimeout: poolIdleTimeoutMs,
      keepAliveMaxTimeout: poolIdleTimeoutMs,
      keepAliveTimeoutThreshold: KEEP_ALIVE_MARGIN_MS,
      factory: (origin, options) => new PooledClient(origin, options, connect, !tls && !proxy),
    })
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
      dial(this.place, this.options, alpn, dialled, raw)
    }
  }
}

/** A proxy is told of a request what its target is, and nothing else: what only its host would tell gets lost. */
const isNamedByPlace = (place: Place, { host }: EndpointOptions): boolean =>
  'host' in place || ('ip' in place && (host === place.ip || host === `[${place.ip}]`))
