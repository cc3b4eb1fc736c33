import { performance } from 'node:perf_hooks'
import type { Body } from './body.ts'
import type { Connection } from './connection.ts'
import type { Headers } from './headers.ts'
import type { EncodedSlashes } from '../resources/frontend-policies.ts'

/** The versions of HTTP, as logs, traces and expressions name them. */
export const httpVersions = { '1.0': 'HTTP/1.0', '1.1': 'HTTP/1.1', '2': 'HTTP/2.0' } as const

/** What a {@link Request} is made of. */
export interface RequestParts {
  readonly method: string
  /** Normalised path, without the query. */
  readonly path: string
  /** Empty, or with its leading `?`. */
  readonly query: string
  readonly scheme: 'http' | 'https'
  /** `host[:port]`, lower-case. */
  readonly authority: string
  readonly httpVersion: '1.0' | '1.1' | '2'
  readonly headers: Headers
  readonly body: Body
  readonly connection: Connection
  /** The protocol of an upgrade, lower-case. */
  readonly upgrade?: string | undefined
  /** The request announced trailers, or may send some (gRPC). */
  readonly hasTrailers?: boolean
  /** Whether the path may contain an encoded slash. */
  readonly encodedSlashes?: EncodedSlashes
  /** See `Request`. */
  readonly cdnLoop?: string | undefined
}

let lastId = 0

/** A request on its way: what is matched, rewritten and finally sent upstream. */
export class Request {
  /** Unique within the process. */
  readonly id: number
  method: string
  path: string
  query: string
  scheme: 'http' | 'https'
  authority: string
  /** A policy has set the authority: a backend does not replace it with its own name. */
  authorityFixed: boolean
  readonly httpVersion: '1.0' | '1.1' | '2'
  headers: Headers
  body: Body
  /** The beginning of a body that is too long to buffer, if a stage had to inspect it. */
  bodyPrefix: Buffer | undefined
  readonly connection: Connection
  readonly upgrade: string | undefined
  readonly hasTrailers: boolean
  /**
   * Whether the path may contain an encoded slash: as the port parses paths, then as the route says. Undefined for
   * requests of the gateway's own, to which the frontend policies apply.
   */
  encodedSlashes: EncodedSlashes | undefined
  /**
   * The field CDN-Loop of the request upstream, and of callouts about it, whatever policies do to its headers.
   * Undefined leaves the client's.
   */
  cdnLoop: string | undefined
  /** As received, before stages rewrite it: for logs, redirects and CSRF. */
  readonly received: Pick<RequestParts, 'method' | 'path' | 'query' | 'authority'>
  /** `performance.now()` at admission, in milliseconds. */
  readonly startedAt: number

  constructor(parts: RequestParts) {
    this.id = ++lastId
    this.method = parts.method
    this.path = parts.path
    this.query = parts.query
    this.scheme = parts.scheme
    this.authority = parts.authority
    this.authorityFixed = false
    this.httpVersion = parts.httpVersion
    this.headers = parts.headers
    this.body = parts.body
    this.bodyPrefix = undefined
    this.connection = parts.connection
    this.upgrade = parts.upgrade
    this.hasTrailers = parts.hasTrailers ?? false
    this.encodedSlashes = parts.encodedSlashes
    this.cdnLoop = parts.cdnLoop
    this.received = parts
    this.startedAt = performance.now()
  }

  /** Path and query, as sent upstream. */
  get target(): string {
    return this.path + this.query
  }

  /** The authority without its port. */
  get host(): string {
    return hostOf(this.authority)
  }

  /** When the request arrived, in milliseconds since the epoch. */
  get startTimeMs(): number {
    return performance.timeOrigin + this.startedAt
  }
}

/** The host of `host[:port]`; an IPv6 literal keeps its brackets. */
export const hostOf = (authority: string): string => {
  const colon = authority.lastIndexOf(':')
  return colon < 0 || authority.endsWith(']') ? authority : authority.slice(0, colon)
}
