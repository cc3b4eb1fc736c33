import { Pool } from 'undici'
import { dial, type DialOptions, type Place, placeName } from './dial.ts'
import { hashText } from './hash.ts'
import { Health } from './health.ts'
import { PooledClient } from './pooled-client.ts'

/** How the connections to the endpoints of an upstream are made and kept. */
export interface EndpointOptions extends DialOptions {
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
export class Endpoint {
  /** `host:port` or `unix:/path`: what logs and traces call it. */
  readonly name: string
  readonly place: Place
  readonly options: EndpointOptions
  readonly health = new Health()
  readonly seed: number
  readonly #unreachable: () => void
  #pool: Pool | undefined = undefined

  /** @param unreachable Told of every connection that could not be made. */
  constructor(place: Place, options: EndpointOptions, unreachable: () => void = () => undefined) {
    this.place = place
    this.#unreachable = unreachable
    this.name = placeName(place)
    this.options = options
    this.seed = hashText(this.name)
  }

  /** HTTP/1.1 connections; opened by the first call. */
  get pool(): Pool {
    return (this.#pool ??= this.#openPool())
  }

  /** Calls under way finish; idle connections are closed at once. */
  async close(): Promise<void> {
    await this.#pool?.close()
  }

  /** Ends everything at once. */
  async destroy(): Promise<void> {
    await this.#pool?.destroy()
  }

  #openPool(): Pool {
    const { poolIdleTimeoutMs, poolMaxSize } = this.options
    // The origin only fills a place: connections are made by `connect`, and every request brings its host.
    return new Pool('http://upstream', {
      connections: poolMaxSize ?? null,
      pipelining: 1,
      allowH2: false,
      maxHeaderSize: MAX_HEAD_BYTES,
      keepAliveTimeout: poolIdleTimeoutMs,
      keepAliveMaxTimeout: poolIdleTimeoutMs,
      keepAliveTimeoutThreshold: KEEP_ALIVE_MARGIN_MS,
      connect: (_, connected) => {
        dial(this.place, this.options, ['http/1.1'], (error, socket) => {
          if (socket) {
            connected(null, socket)
            return
          }
          this.#unreachable()
          connected(error ?? new Error('no connection'), null)
        })
      },
      factory: (origin, options) => new PooledClient(origin, options),
    })
  }
}
