import type { Duplex, Readable } from 'node:stream'
import type { Body } from '../model/exchange/body.ts'
import type { Fault } from '../model/exchange/fault.ts'

/** A request to an upstream. Its headers have no hop-by-hop fields, and `content-length` is exact. */
export interface UpstreamRequest {
  readonly method: string
  /** Path and query. */
  readonly target: string
  /** Name, value, name, value …; `host` included. */
  readonly headers: string[]
  readonly body: Body
}

/**
 * The events of a call: `info`*, then `head` or `tunnel`, then `end`; or `fail` at any time, once, and nothing after
 * it. `end` never comes inside the call that consumes the body, so that the exchange has been passed on before.
 */
export interface UpstreamEvents {
  /**
   * A 1xx response other than 100 and 101. False if the client reads slowly: the upstream should send nothing more
   * until `resume` is called.
   */
  info(status: number, headers: string[], resume: () => void): boolean
  /** @param raw The fields as they were received, with their capitals. */
  head(status: number, headers: string[], body: Body, raw?: RawFields): void
  /**
   * The upstream switched protocols: from now on it is a stream of bytes both ways. `end` comes when that has closed.
   */
  tunnel(status: number, headers: string[], stream: Duplex): void
  /** The body is complete, or no longer read; trailers went to the body's sink too. */
  end(trailers?: readonly string[]): void
  fail(fault: Fault): void
}

/** Names and values alternating, as a client library read them. */
export type RawFields = readonly (Buffer | string)[]

/** A call under way. */
export interface UpstreamCall {
  /** Releases the upstream's connection. No event follows. */
  abort(): void
  /** The source of the body, if it has taken that, for the next call if this one got no connection. */
  readonly takenBody?: Readable | Buffer | null | undefined
}
