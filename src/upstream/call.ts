import type { Duplex } from 'node:stream'
import type { Body } from '../model/body.ts'
import type { Fault } from '../model/fault.ts'

/** What is sent upstream. Header names are free of hop-by-hop fields, and `content-length` tells the truth. */
export interface UpstreamRequest {
  readonly method: string
  /** Path and query. */
  readonly target: string
  /** Name, value, name, value …; `host` included. */
  readonly headers: string[]
  readonly body: Body
}

/**
 * How an upstream answers: `info`*, then `head` or `tunnel`, then `end`; or `fail` at any time, once, and nothing after
 * it. `end` never comes inside the call that consumes the body, so that whoever passes the exchange on is done first.
 */
export interface UpstreamEvents {
  /** A 1xx answer other than 100 and 101. */
  info(status: number, headers: string[]): void
  /** @param raw The fields as they were on the wire, for those who want their capitals back. */
  head(status: number, headers: string[], body: Body, raw?: RawFields): void
  /** The upstream switched protocols: from now on it is a stream of bytes both ways. `end` comes when that has closed. */
  tunnel(status: number, headers: string[], stream: Duplex): void
  /** The last byte came, or nobody wants it any more; trailers went to the body's sink too. */
  end(trailers?: readonly string[]): void
  fail(fault: Fault): void
}

/** Names and values alternating, as a client library read them. */
export type RawFields = readonly (Buffer | string)[]

/** A call under way. */
export interface UpstreamCall {
  /** Nobody waits any more: the upstream's connection is let go. No event follows. */
  abort(): void
}
