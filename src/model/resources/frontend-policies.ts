/**
 * What holds for the whole process before a route is known: connections, the limits of the protocols, the log and
 * admission.
 *
 * @module
 */
import type { Authorization } from '../../operators/authorization/schema.ts'
import type { Cel, Keepalives } from './policies.ts'

/** Connection, HTTP, log and trace settings of the whole process. */
export interface FrontendPolicies {
  readonly http: FrontendHttp
  readonly tls: FrontendTls
  readonly tcp?: { readonly keepalives: Keepalives }
  readonly proxyProtocol?: { readonly version: 'v1' | 'v2' | 'all'; readonly mode: 'strict' | 'optional' }
  /** Which connections are taken. */
  readonly networkAuthorization?: Authorization
  readonly connect: { readonly mode: 'deny' | 'route' | 'tunnel' }
  readonly accessLog?: AccessLog
  readonly admission: Admission
}

/** Limits and habits of HTTP on the side of clients. */
export interface FrontendHttp {
  readonly maxBufferBytes: number
  readonly maxHeaders: number
  readonly maxHeaderBytes: number
  readonly idleTimeoutMs: number
  readonly headersTimeoutMs: number
  /** From the head's end to the body's end; 0 is none. */
  readonly requestBodyTimeoutMs: number
  readonly headerCase: 'lowercase' | 'preserve'
  readonly http2WindowBytes?: number
  readonly http2ConnectionWindowBytes?: number
  readonly http2FrameBytes?: number
  readonly http2MaxHeaderBytes?: number
  readonly http2KeepaliveIntervalMs?: number
  readonly http2KeepaliveTimeoutMs?: number
  readonly maxConnectionDurationMs?: number
  /** How long a client that closed its sending side is served without a byte written. */
  readonly halfCloseGraceMs: number
  /** Protocols that `Upgrade` may name, lower-case. */
  readonly upgrades: readonly string[]
  readonly path: { readonly mergeSlashes: boolean; readonly encodedSlashes: EncodedSlashes }
  readonly forwarded?: Forwarded
  /** Answers say in `server-timing` how long they took, and where. */
  readonly serverTiming: boolean
}

/** What becomes of requests whose paths contain an encoded slash or backslash: 400, or matched and forwarded with it. */
export type EncodedSlashes = 'refuse' | 'keep'

/** What happens to X-Forwarded-For, -Proto, -Host and Forwarded. Absent: they pass as the client sent them and count for nothing. */
export interface Forwarded {
  readonly mode: 'append' | 'overwrite'
  /** How many proxies in front of this one are ours. Their entries are believed. */
  readonly trustedHops: number
}

/** Defaults of TLS for listeners that say nothing else. */
export interface FrontendTls {
  readonly handshakeTimeoutMs: number
  readonly alpn?: readonly string[]
  readonly minVersion?: 'TLSv1.2' | 'TLSv1.3'
  readonly maxVersion?: 'TLSv1.2' | 'TLSv1.3'
  readonly cipherSuites?: readonly string[]
  readonly keyExchangeGroups?: readonly string[]
}

/** Which exchanges are logged, with which fields more or less. */
export interface AccessLog {
  readonly filter?: Cel
  readonly add: readonly (readonly [field: string, value: Cel])[]
  readonly remove: readonly string[]
}

/** When to say 503 instead of taking more work. */
export interface Admission {
  readonly maxExchanges: number
  /** Shed once the event loop has lagged this much for `lagForMs`. */
  readonly lagMs: number
  readonly lagForMs: number
}
