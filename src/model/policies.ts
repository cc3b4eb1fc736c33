/**
 * Policies as data: what may be attached to gateways, routes and backends. CEL expressions stay text here, so that the
 * model can be printed; `config/compile` parses each once.
 *
 * @module
 */
import type { StaticTarget } from './resources.ts'

/** CEL source text. */
export type Cel = string

/** Either a policy, or the first of several whose condition holds (an entry without condition is last). */
export type Conditional<P> = P | { readonly conditional: readonly (P & { readonly condition?: Cel })[] }

/** Belongs to a whole gateway or listener, before a route is known. */
export interface GatewayPolicies {
  readonly cors?: Cors
  readonly transformations?: Conditional<Transformations>
}

/** Belongs to a route. */
export interface RoutePolicies {
  readonly cors?: Cors
  readonly csrf?: Csrf
  readonly requestHeaderModifier?: HeaderModifier
  readonly responseHeaderModifier?: HeaderModifier
  readonly requestRedirect?: Redirect
  readonly urlRewrite?: Rewrite
  readonly requestMirror?: readonly Mirror[]
  readonly directResponse?: Conditional<DirectResponse>
  readonly transformations?: Conditional<Transformations>
  readonly timeout?: Timeout
  readonly retry?: Retry
  readonly buffer?: BufferPolicy
  readonly delay?: Delay
  readonly backendTLS?: TlsUpstream
}

/** Belongs to a backend, named or inline. */
export interface BackendPolicies {
  readonly requestHeaderModifier?: HeaderModifier
  readonly responseHeaderModifier?: HeaderModifier
  readonly requestRedirect?: Redirect
  readonly transformations?: Transformations
  readonly backendTLS?: TlsUpstream
  readonly http?: UpstreamHttp
  readonly tcp?: UpstreamTcp
  readonly health?: Health
  readonly sessionAffinity?: { readonly source: Cel }
}

/** A backend named where only a destination is wanted, such as a mirror. */
export type SimpleBackend =
  | { readonly kind: 'host'; readonly target: StaticTarget }
  | { readonly kind: 'backend'; readonly key: string }
  | { readonly kind: 'service'; readonly name: string; readonly port: number }

export interface Cors {
  readonly allowOrigins: readonly string[]
  readonly allowMethods: readonly string[]
  readonly allowHeaders: readonly string[]
  readonly exposeHeaders: readonly string[]
  readonly allowCredentials: boolean
  readonly maxAgeMs?: number
}

export interface Csrf {
  readonly additionalOrigins: readonly string[]
}

/** Applied in the order add, set, remove. Names are lower-case. */
export interface HeaderModifier {
  readonly add: readonly (readonly [name: string, value: string])[]
  readonly set: readonly (readonly [name: string, value: string])[]
  readonly remove: readonly string[]
}

export interface Redirect {
  readonly scheme?: 'http' | 'https'
  readonly authority?: AuthorityChange
  readonly path?: PathChange
  readonly status: number
}

export interface Rewrite {
  readonly authority?: AuthorityChange
  readonly path?: PathChange
}

/** `auto` is the backend's host name, `none` leaves the client's. */
export type AuthorityChange =
  { readonly full: string } | { readonly host: string } | { readonly port: number } | 'auto' | 'none'

export type PathChange = { readonly full: string } | { readonly prefix: string }

export interface Mirror {
  readonly backend: SimpleBackend
  /** 0…1. */
  readonly fraction: number
}

export interface DirectResponse {
  readonly status: number
  readonly body?: string
  readonly bodyExpression?: Cel
  readonly headers: readonly (readonly [name: string, value: Cel])[]
}

export interface Transformations {
  readonly request?: Transformation
  readonly response?: Transformation
}

/** Applied in the order metadata, replace, add, set, remove, body. */
export interface Transformation {
  readonly add: readonly (readonly [name: string, value: Cel])[]
  readonly set: readonly (readonly [name: string, value: Cel])[]
  readonly remove: readonly string[]
  readonly replace?: Cel
  readonly body?: Cel
  readonly metadata: readonly (readonly [key: string, value: Cel])[]
}

export interface Timeout {
  /** The whole exchange, a stalling body included. */
  readonly requestTimeoutMs?: number
  /** One attempt, up to the head of the answer. */
  readonly backendRequestTimeoutMs?: number
}

export interface Retry {
  /** Calls after the first. */
  readonly attempts: number
  readonly codes: readonly number[]
  readonly backoffMs?: number
  readonly precondition?: Cel
  readonly condition?: Cel
}

export interface BufferPolicy {
  readonly request?: BufferSide
  readonly response?: BufferSide
}

export interface BufferSide {
  readonly maxBytes: number
  readonly failureMode: 'failClosed' | 'failOpen'
}

export interface Delay {
  readonly duration: { readonly ms: number } | { readonly expression: Cel }
}

/** TLS towards an upstream. */
export interface TlsUpstream {
  readonly certFile?: string
  readonly keyFile?: string
  readonly rootFile?: string
  /** SNI, and the name the certificate must carry. */
  readonly hostname?: string
  /** Accept any certificate. */
  readonly insecure: boolean
  /** Accept a certificate for another host. */
  readonly insecureHost: boolean
  readonly alpn?: readonly string[]
  readonly subjectAltNames: readonly string[]
  readonly keyExchangeGroups?: readonly string[]
}

export interface UpstreamHttp {
  readonly version?: '1.1' | '2'
  readonly requestTimeoutMs?: number
}

export interface UpstreamTcp {
  readonly connectTimeoutMs: number
  readonly keepalives?: Keepalives
}

export interface Keepalives {
  readonly enabled: boolean
  readonly timeMs: number
  readonly intervalMs: number
  readonly retries: number
}

export interface Health {
  /** Default: 5xx, no answer, or a gRPC status other than 0. */
  readonly unhealthyExpression?: Cel
  readonly eviction?: {
    readonly durationMs?: number
    /** 0…1. */
    readonly restoreHealth?: number
    readonly consecutiveFailures?: number
    /** 0…1. */
    readonly healthThreshold?: number
  }
}

/** Connection, HTTP, log and trace settings of the whole process. */
export interface FrontendPolicies {
  readonly http: FrontendHttp
  readonly tls: FrontendTls
  readonly tcp?: { readonly keepalives: Keepalives }
  readonly proxyProtocol?: { readonly version: 'v1' | 'v2' | 'all'; readonly mode: 'strict' | 'optional' }
  readonly connect: { readonly mode: 'deny' | 'route' | 'tunnel' }
  readonly accessLog?: AccessLog
  readonly admission: Admission
}

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
  readonly path: { readonly mergeSlashes: boolean; readonly encodedSlashes: 'refuse' | 'keep' }
  readonly forwarded?: Forwarded
}

/** What happens to X-Forwarded-For, -Proto, -Host and Forwarded. Absent: they pass as the client sent them and count for nothing. */
export interface Forwarded {
  readonly mode: 'append' | 'overwrite'
  /** How many proxies in front of this one are ours. Their entries are believed. */
  readonly trustedHops: number
}

export interface FrontendTls {
  readonly handshakeTimeoutMs: number
  readonly alpn?: readonly string[]
  readonly minVersion?: 'TLSv1.2' | 'TLSv1.3'
  readonly maxVersion?: 'TLSv1.2' | 'TLSv1.3'
  readonly cipherSuites?: readonly string[]
  readonly keyExchangeGroups?: readonly string[]
}

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
