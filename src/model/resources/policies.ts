import type { Tunnel } from './tunnel.ts' /**
 * Policies as data: what may be attached to gateways, routes and backends. CEL expressions stay text here, so that the
 * model can be printed; `config/compile` parses each once.
 *
 * @module
 */
import type { A2a } from './a2a.ts'
import type { BackendAuth } from './backend-auth.ts'
import type { ApiKeys } from './api-key.ts'
import type { Authorization } from './authorization.ts'
import type { BasicAuth } from './basic-auth.ts'
import type { BufferPolicy } from './buffer.ts'
import type { ExtAuthz } from './ext-authz.ts'
import type { ExtProc } from './ext-proc.ts'
import type { JwtAuth } from './jwt.ts'
import type { McpAuthentication } from './mcp-authentication.ts'
import type { McpGuardrails } from './mcp-guardrails.ts'
import type { LlmPolicy } from './llm.ts'
import type { LocalRateLimit } from './rate-limit.ts'
import type { RemoteRateLimit } from './remote-rate-limit.ts'
import type { Oidc } from './oidc.ts'
import type { StaticTarget } from './resources.ts'

/** CEL source text. */
export type Cel = string

/** Either a policy, or the first of several whose condition holds (an entry without condition is last). */
export type Conditional<P> = P | { readonly conditional: readonly (P & { readonly condition?: Cel })[] }

/** Belongs to a whole gateway or listener, before a route is known. */
export interface GatewayPolicies {
  readonly cors?: Cors
  readonly extAuthz?: Conditional<ExtAuthz>
  readonly extProc?: Conditional<ExtProc>
  readonly oidc?: Oidc
  readonly basicAuth?: BasicAuth
  readonly apiKey?: ApiKeys
  readonly jwtAuth?: JwtAuth
  readonly authorization?: Authorization
  readonly transformations?: Conditional<Transformations>
}

/** Belongs to a route. */
export interface RoutePolicies {
  readonly cors?: Cors
  readonly csrf?: Csrf
  readonly remoteRateLimit?: Conditional<RemoteRateLimit>
  readonly extAuthz?: Conditional<ExtAuthz>
  readonly extProc?: Conditional<ExtProc>
  readonly localRateLimit?: LocalRateLimit
  readonly oidc?: Oidc
  readonly basicAuth?: BasicAuth
  readonly apiKey?: ApiKeys
  readonly jwtAuth?: JwtAuth
  readonly mcpAuthentication?: McpAuthentication
  readonly authorization?: Authorization
  /** Which tools, prompts, resources and tasks of MCP servers are there, for whom. */
  readonly mcpAuthorization?: Authorization
  readonly mcpGuardrails?: McpGuardrails
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
  readonly backendAuth?: BackendAuth
  readonly backendTunnel?: Tunnel
  readonly a2a?: A2a
  readonly ai?: LlmPolicy
}

/** Belongs to a backend, named or inline. */
export interface BackendPolicies {
  readonly requestHeaderModifier?: HeaderModifier
  readonly responseHeaderModifier?: HeaderModifier
  readonly requestRedirect?: Redirect
  readonly transformations?: Transformations
  readonly extAuthz?: ExtAuthz
  readonly a2a?: A2a
  readonly ai?: LlmPolicy
  readonly backendTLS?: TlsUpstream
  readonly backendAuth?: BackendAuth
  readonly backendTunnel?: Tunnel
  readonly http?: UpstreamHttp
  readonly tcp?: UpstreamTcp
  readonly health?: Health
  readonly sessionAffinity?: { readonly source: Cel }
  readonly authorization?: Authorization
  readonly mcpAuthorization?: Authorization
  readonly mcpGuardrails?: McpGuardrails
}

/** A backend named where only a destination is wanted, such as a mirror. */
export type SimpleBackend =
  | { readonly kind: 'host'; readonly target: StaticTarget }
  | { readonly kind: 'backend'; readonly key: string }
  | { readonly kind: 'service'; readonly name: string; readonly port: number }

/** Which other origins may read answers, and what browsers may send. Lists may hold `*`. */
export interface Cors {
  readonly allowOrigins: readonly string[]
  readonly allowMethods: readonly string[]
  readonly allowHeaders: readonly string[]
  readonly exposeHeaders: readonly string[]
  readonly allowCredentials: boolean
  readonly maxAgeMs?: number
}

/** Unsafe requests from other origins than these and the own one are refused. */
export interface Csrf {
  readonly additionalOrigins: readonly string[]
}

/** Applied in the order add, set, remove. Names are lower-case. */
export interface HeaderModifier {
  readonly add: readonly (readonly [name: string, value: string])[]
  readonly set: readonly (readonly [name: string, value: string])[]
  readonly remove: readonly string[]
}

/** Answers with a redirect to the changed address; what is not said stays as the client asked for it. */
export interface Redirect {
  readonly scheme?: 'http' | 'https'
  readonly authority?: AuthorityChange
  readonly path?: PathChange
  readonly status: number
}

/** Changes where the request goes, before it is forwarded. */
export interface Rewrite {
  readonly authority?: AuthorityChange
  readonly path?: PathChange
}

/** `auto` is the backend's host name, `none` leaves the client's. */
export type AuthorityChange =
  { readonly full: string } | { readonly host: string } | { readonly port: number } | 'auto' | 'none'

/** The whole path, or the part that the route matched as prefix. */
export type PathChange = { readonly full: string } | { readonly prefix: string }

/** Sends a copy of some requests elsewhere, and ignores the answers. */
export interface Mirror {
  readonly backend: SimpleBackend
  /** 0…1. */
  readonly fraction: number
}

/** Answers without a backend. `bodyExpression` wins over `body`. */
export interface DirectResponse {
  readonly status: number
  readonly body?: string
  readonly bodyExpression?: Cel
  readonly headers: readonly (readonly [name: string, value: Cel])[]
}

/** Changes by expression, on the way to the backend and back. */
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

/** How long answers may take; what is absent may take for ever. */
export interface Timeout {
  /** The whole exchange, a stalling body included. */
  readonly requestTimeoutMs?: number
  /** One attempt, up to the head of the answer. */
  readonly backendRequestTimeoutMs?: number
}

/** When a call that failed is made again. */
export interface Retry {
  /** Calls after the first. */
  readonly attempts: number
  readonly codes: readonly number[]
  readonly backoffMs?: number
  readonly precondition?: Cel
  readonly condition?: Cel
}

/** Holds every request for a while. */
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

/** How to speak HTTP to an upstream. Without a version: what the handshake agrees on, else 1.1, and 2 for gRPC. */
export interface UpstreamHttp {
  readonly version?: '1.1' | '2'
  readonly requestTimeoutMs?: number
}

/** How to connect to an upstream. */
export interface UpstreamTcp {
  readonly connectTimeoutMs: number
  readonly keepalives?: Keepalives
}

/** TCP probes on idle connections. */
export interface Keepalives {
  readonly enabled: boolean
  readonly timeMs: number
  readonly intervalMs: number
  readonly retries: number
}

/** Which answers count against an endpoint, and when it is left out for a while. */
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
