/**
 * Policies that apply before a route is known: connections, limits of the protocols, the log and admission. They are those
 * of the whole process, or attached to a gateway, a port or a listener.
 *
 * @module
 */
import type { Authorization } from '../../operators/authorization/schema.ts'
import type { RegexRule } from '../../operators/llm/guardrails/schema/normal-form.ts'
import type { OtlpAccessLog, Tracing } from '../../operators/otlp/schema.ts'
import type { Cel, Keepalives } from './policies.ts'

/** Connection, HTTP, log and trace settings of the whole process. */
export interface FrontendPolicies {
  readonly http: FrontendHttp
  readonly tls: FrontendTls
  readonly tcp?: { readonly keepalives: Keepalives }
  /** Absent: the defaults. */
  readonly udp?: FrontendUdp
  readonly proxyProtocol?: { readonly version: 'v1' | 'v2' | 'all'; readonly mode: 'strict' | 'optional' }
  /** Which connections are accepted. */
  readonly networkAuthorization?: Authorization
  readonly connect: { readonly mode: 'deny' | 'route' | 'tunnel' }
  readonly accessLog?: AccessLog
  readonly tracing?: Tracing
  readonly metrics?: FrontendMetrics
  readonly admission: Admission
}

/**
 * Frontend policies of a gateway, of one of its ports or listeners. Each replaces that of outer levels, and of the
 * process, as a whole.
 */
export type AttachedFrontend = Partial<
  Pick<
    FrontendPolicies,
    | 'tls'
    | 'tcp'
    | 'udp'
    | 'proxyProtocol'
    | 'networkAuthorization'
    | 'connect'
    | 'accessLog'
    | 'tracing'
    | 'metrics'
  >
> & {
  /** Without the normalization of paths, by which the routes of the whole process were read. */
  readonly http?: Omit<FrontendHttp, 'path'>
}

/** Frontend policies of requests and raw connections whose listener is known. The others concern all of a port. */
export type ListenerFrontend = Pick<AttachedFrontend, 'accessLog' | 'tracing' | 'metrics'>

/** Labels that are added to the metrics of requests and raw connections. */
export interface FrontendMetrics {
  readonly add: readonly (readonly [label: string, value: Cel])[]
}

/** Sessions of UDP listeners. */
export interface FrontendUdp {
  /** Time without a datagram, in either direction, after which a session ends. */
  readonly idleTimeoutMs: number
  /** Sessions of a port at a time. */
  readonly maxSessions: number
}

/** Limits and options of HTTP towards clients. */
export interface FrontendHttp {
  readonly maxBufferBytes: number
  readonly maxHeaders: number
  readonly maxHeaderBytes: number
  readonly idleTimeoutMs: number
  readonly headersTimeoutMs: number
  /** From the end of the head to the end of the body; 0 means no timeout. */
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
  /** Protocols allowed in `Upgrade`, lower-case. */
  readonly upgrades: readonly string[]
  readonly path: { readonly mergeSlashes: boolean; readonly encodedSlashes: EncodedSlashes }
  readonly forwarded?: Forwarded
  /** Number of gateways of this kind that a request may pass, this one included; 0 is unlimited, and adds no CDN-Loop. */
  readonly maxHops: number
  /** Replies report the time of gateway and upstream in `server-timing`. */
  readonly serverTiming: boolean
}

/** Requests whose paths contain an encoded slash or backslash get 400, or are matched and forwarded with it. */
export type EncodedSlashes = 'refuse' | 'keep'

/** Handling of X-Forwarded-For, -Proto, -Host and Forwarded. Absent: they are forwarded unchanged and not trusted. */
export interface Forwarded {
  readonly mode: 'append' | 'overwrite'
  /** Number of trusted proxies in front of this one. Their entries are believed. */
  readonly trustedHops: number
}

/** TLS defaults of listeners. */
export interface FrontendTls {
  readonly handshakeTimeoutMs: number
  readonly alpn?: readonly string[]
  readonly minVersion?: 'TLSv1.2' | 'TLSv1.3'
  readonly maxVersion?: 'TLSv1.2' | 'TLSv1.3'
  readonly cipherSuites?: readonly string[]
  readonly keyExchangeGroups?: readonly string[]
}

/** Which exchanges are logged, and which fields are added or removed. */
export interface AccessLog {
  readonly filter?: Cel
  readonly add: readonly (readonly [field: string, value: Cel])[]
  readonly remove: readonly string[]
  /** The path of the file; the log of the process otherwise. */
  readonly file?: string
  /** Absent: all records are written. */
  readonly sampling?: LogSampling
  readonly payloads?: PayloadLog
  /** Exports them to a collector as well, by rules of its own. */
  readonly otlp?: OtlpAccessLog
}

/** Which records of a log are written. */
export interface LogSampling {
  /** From 0 to 1, or an expression that returns it or a boolean. */
  readonly share: number | Cel
  /** Whether failures are written all the same. */
  readonly keepErrors: boolean
}

/** The log of prompts and completions. */
export interface PayloadLog {
  readonly file?: string
  readonly filter?: Cel
  readonly prompt: Cel
  readonly completion: Cel
  readonly toolCalls: Cel
  /** Patterns whose matches are masked, in order. */
  readonly mask: readonly RegexRule[]
  /** Of the logged values as JSON. */
  readonly maxBytes: number
}

/** When to reply 503 instead of accepting more work. */
export interface Admission {
  readonly maxExchanges: number
  /** Shed once the event loop has lagged this much for `lagForMs`. */
  readonly lagMs: number
  readonly lagForMs: number
}
