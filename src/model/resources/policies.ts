/**
 * Policies as data, by the levels where they stand. `config/policies.ts` has the same levels; a type test compares them.
 * CEL expressions are text here, so that the model can be printed; `config/compile` parses each once. The normal form of a policy is in the `schema.ts` of its folder.
 *
 * @module
 */
import type { A2a } from '../exchange/a2a-attributes.ts'
import type { SecretText } from '../policies/secret-text.ts'
import type { HealthPolicy, LoadBalancing } from '../../upstream/load-balancing/schema/normal-form.ts'
import type { BackendAuth } from '../../operators/backend-auth/schema/normal-form.ts'
import type { ApiKeys } from '../../operators/api-key/schema.ts'
import type { Authorization } from '../../operators/authorization/schema.ts'
import type { BasicAuth } from '../../operators/basic-auth/schema.ts'
import type { BufferPolicy } from '../../operators/buffer/schema.ts'
import type { ExtAuthz } from '../../operators/ext-authz/schema.ts'
import type { ExtProc } from '../../operators/ext-proc/schema.ts'
import type { JwtAuth } from '../../operators/jwt-auth/schema.ts'
import type { Mirror } from '../../operators/request-mirror/schema.ts'
import type { InferenceRouting } from '../../operators/inference-routing/schema.ts'
import type { McpAuthentication } from '../../operators/mcp-authentication/schema.ts'
import type { McpGuardrails } from '../../operators/mcp/guardrails/schema.ts'
import type { LlmPolicy } from '../llm/llm-backend.ts'
import type { LocalRateLimit } from '../../operators/local-rate-limit/schema.ts'
import type { RemoteRateLimit } from '../../operators/remote-rate-limit/schema.ts'
import type { Oidc } from '../../operators/oidc/schema.ts'
import type { Cors } from '../../operators/cors/schema.ts'
import type { Csrf } from '../../operators/csrf/schema.ts'
import type { Delay } from '../../operators/delay/schema.ts'
import type { DirectResponse } from '../../operators/direct-response/schema.ts'
import type { HeaderModifier } from '../../operators/headers/schema.ts'
import type { Redirect } from '../../operators/request-redirect/schema.ts'
import type { Retry } from '../../operators/retry/schema.ts'
import type { Timeout } from '../../operators/timeout/schema.ts'
import type { Transformations } from '../../operators/transformations/schema.ts'
import type { Rewrite } from '../../operators/url-rewrite/schema.ts'
import type { Tunnel } from '../../upstream/backend-tunnel/schema.ts'
import type { StaticTarget } from './resources.ts'

/** CEL source text. */
export type Cel = string

/** A policy, or the first of several whose condition is true (an entry without condition is last). */
export type Conditional<P> = P | { readonly conditional: readonly (P & { readonly condition?: Cel })[] }

/** Policies of a gateway or listener, applied before a route is known. */
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

/** Policies of a route. */
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
  /** Which callers may see and use which tools, prompts, resources and tasks of MCP servers. */
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
  /** The default for backends of the route. */
  readonly health?: HealthPolicy
  /** How a backend of the route is chosen, and the default for choosing its endpoints. */
  readonly loadBalancing?: LoadBalancing
  /** The default for connections to backends of the route. */
  readonly http?: UpstreamHttp
  readonly tcp?: UpstreamTcp
}

/** Policies of a backend, named or inline. */
export interface BackendPolicies {
  readonly requestHeaderModifier?: HeaderModifier
  readonly responseHeaderModifier?: HeaderModifier
  readonly requestRedirect?: Redirect
  readonly requestMirror?: readonly Mirror[]
  readonly transformations?: Transformations
  readonly extAuthz?: ExtAuthz
  readonly a2a?: A2a
  readonly ai?: LlmPolicy
  readonly backendTLS?: TlsUpstream
  readonly backendAuth?: BackendAuth
  readonly backendTunnel?: Tunnel
  readonly http?: UpstreamHttp
  readonly tcp?: UpstreamTcp
  readonly health?: HealthPolicy
  readonly sessionAffinity?: { readonly source: Cel }
  readonly loadBalancing?: LoadBalancing
  readonly authorization?: Authorization
  /** Merging makes it that of the routes that lead to the backend. */
  readonly mcpAuthentication?: McpAuthentication
  readonly mcpAuthorization?: Authorization
  readonly mcpGuardrails?: McpGuardrails
  /** A service chooses the endpoint of each request. */
  readonly inferenceRouting?: InferenceRouting
}

/** A reference to a destination, such as that of a mirror. */
export type SimpleBackend =
  | { readonly kind: 'host'; readonly target: StaticTarget }
  | { readonly kind: 'backend'; readonly key: string }
  | { readonly kind: 'service'; readonly name: string; readonly port: number }

/** TLS towards an upstream. */
export interface TlsUpstream {
  readonly certFile?: string
  readonly keyFile?: string
  readonly rootFile?: string
  /** The same as texts. */
  readonly certPem?: string
  readonly keyPem?: SecretText
  readonly rootPem?: string
  /** Why every connection fails. */
  readonly invalid?: string
  /** SNI, and the name the certificate must carry. */
  readonly hostname?: string
  /** Accept any certificate. */
  readonly insecure: boolean
  /** Accept a certificate for another host. */
  readonly insecureHost: boolean
  readonly alpn?: readonly string[]
  /** DNS names, IP addresses or URIs, one of which the certificate must carry; the host name does not count then. */
  readonly subjectAltNames: readonly string[]
  readonly keyExchangeGroups?: readonly string[]
}

/** HTTP towards an upstream. Without a version: ALPN decides, else 1.1, and 2 for gRPC. */
export interface UpstreamHttp {
  readonly version?: '1.1' | '2'
  readonly requestTimeoutMs?: number
}

/** TCP towards an upstream. */
export interface UpstreamTcp {
  readonly connectTimeoutMs: number
  readonly keepalives?: Keepalives
}

/** TCP keepalive probes on idle connections. */
export interface Keepalives {
  readonly enabled: boolean
  readonly timeMs: number
  readonly intervalMs: number
  readonly retries: number
}
