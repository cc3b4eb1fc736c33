import { type ClientHttp2Session, type ClientHttp2Stream, connect } from 'node:http2'
import { TLSSocket } from 'node:tls'
import type { Connect } from './endpoint-agent.ts'
import { ResetWatch } from './reset-watch.ts'
import { type UpstreamSockets } from '../upstream-clients.ts'

/** Concurrent calls of a connection, unless the upstream allows fewer. */
const MAX_STREAMS = 100
/** Connections to one address, unless the configuration says otherwise. */
const MAX_CONNECTIONS = 64

/** One HTTP/2 connection to an upstream. */
export class PooledHttp2Session {
  readonly session: ClientHttp2Session
  /** It has served a response. */
  hasResponded = false
  /** It takes no new calls. */
  isGone = false
  streams = 0
  readonly #idleTimeoutMs: number
  #lastTaken = Infinity
  #idle: NodeJS.Timeout | undefined = undefined

  constructor(session: ClientHttp2Session, idleTimeoutMs: number) {
    this.session = session
    this.#idleTimeoutMs = idleTimeoutMs
    const gone = () => {
      this.isGone = true
      clearTimeout(this.#idle)
    }
    session.on('goaway', (_: number, lastStreamId: number) => {
      this.#lastTaken = lastStreamId
      gone()
    })
    session.on('close', gone)
    // Each of its calls reports an error of its own.
    session.on('error', gone)
    this.#wait()
  }

  /** Calls that it can still take. */
  get room(): number {
    const { maxConcurrentStreams = MAX_STREAMS } = this.session.remoteSettings
    return Math.min(maxConcurrentStreams, MAX_STREAMS) - this.streams
  }

  /** Counts a call on this connection. */
  began(stream: ClientHttp2Stream): void {
    if (this.streams++ === 0) {
      clearTimeout(this.#idle)
      this.session.ref()
    }
    stream.once('close', () => {
      if (--this.streams === 0) this.#wait()
    })
  }

  /** Whether the upstream did not process this call, by its GOAWAY. */
  isBeyondGoaway(id: number | undefined): boolean {
    return id !== undefined && id > this.#lastTaken
  }

  /** Finishes the calls under way, then closes. */
  close(): void {
    this.isGone = true
    clearTimeout(this.#idle)
    // The process must not end before the end that `close` awaits.
    if (!this.session.destroyed) this.session.ref()
    if (!this.session.closed) this.session.close()
  }

  #wait(): void {
    if (this.isGone) return
    this.session.unref()
    this.#idle = setTimeout(() => this.close(), this.#idleTimeoutMs)
    this.#idle.unref()
  }
}

/** Called once: a connection, `http/1.1` if the upstream negotiated it, or why there is neither. */
export type Http2Found = (found: PooledHttp2Session | 'http/1.1' | Error) => void

/** How an {@link Http2Pool} gets its connections. */
export interface Http2PoolOptions {
  readonly open: Connect
  readonly idleTimeoutMs: number
  readonly maxConnections: number | undefined
  /**
   * Whether TLS negotiates the protocol; cleartext HTTP/2 is used with prior knowledge, even inside the TLS of a proxy.
   */
  readonly negotiated: boolean
}

/** The HTTP/2 connections to one address. They are shared, and another one is opened only when all are full. */
export class Http2Pool {
  readonly #options: Http2PoolOptions
  readonly #connections = new Set<PooledHttp2Session>()
  readonly #waiting: Http2Found[] = []
  readonly #resets = new ResetWatch()
  #opening = 0
  #closed: (() => void) | undefined = undefined

  constructor(options: Http2PoolOptions) {
    this.#options = options
  }

  /** The least busy connection. */
  connection(found: Http2Found): void {
    const best = this.#best()
    const limit = this.#options.maxConnections ?? MAX_CONNECTIONS
    const isFull = this.#connections.size + this.#opening >= limit
    if (best && (best.room > 0 || (isFull && this.#opening === 0))) {
      found(best)
      return
    }
    this.#waiting.push(found)
    // Calls that wait for a connection being opened will mostly fit into it.
    if (!isFull && this.#waiting.length > this.#opening * MAX_STREAMS) this.#open()
  }

  /** Its sockets now. */
  counts(): UpstreamSockets {
    const connections = [...this.#connections]
    return {
      open: connections.length,
      idle: connections.filter(({ streams }) => streams === 0).length,
      calls: connections.reduce((sum, { streams }) => sum + streams, 0),
      pendingCalls: this.#waiting.length,
    }
  }

  /** Finishes the calls under way; idle connections close at once. */
  async close(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<undefined>()
    this.#closed = () => resolve(undefined)
    for (const connection of this.#connections) connection.close()
    this.#endIfEmpty()
    await promise
  }

  /** Closes everything at once. */
  destroy(): void {
    this.#closed ??= () => undefined
    for (const { session } of this.#connections) session.destroy()
  }

  #best(): PooledHttp2Session | undefined {
    let best: PooledHttp2Session | undefined
    for (const connection of this.#connections)
      if (!connection.isGone && connection.room > (best?.room ?? -Infinity)) best = connection
    return best
  }

  #open(): void {
    this.#opening++
    this.#options.open((error, socket) => {
      this.#opening--
      if (!socket) {
        this.#notify(error ?? new Error('no connection'))
        this.#endIfEmpty()
        return
      }
      if (this.#options.negotiated && socket instanceof TLSSocket && socket.alpnProtocol !== 'h2') {
        socket.destroy()
        this.#notify('http/1.1')
        this.#endIfEmpty()
        return
      }
      const session = connect('http://upstream', { createConnection: () => socket })
      const connection = new PooledHttp2Session(session, this.#options.idleTimeoutMs)
      this.#connections.add(connection)
      if (socket instanceof TLSSocket) this.#resets.add(socket, () => connection.streams > 0)
      session.on('close', () => {
        this.#connections.delete(connection)
        this.#endIfEmpty()
      })
      if (this.#closed) connection.close()
      this.#notify(connection)
    })
  }

  #endIfEmpty(): void {
    if (this.#connections.size + this.#opening === 0) this.#closed?.()
  }

  #notify(found: PooledHttp2Session | 'http/1.1' | Error): void {
    const waiting = this.#waiting.splice(0)
    for (const one of waiting)
      if (found instanceof PooledHttp2Session) this.connection(one)
      else one(found)
  }
}
