import type { HeaderSource } from './headers-view.ts'
import type { LlmFacts } from '../model/llm-facts.ts'
import type { McpFacts } from '../model/mcp-facts.ts'

/**
 * What an expression may read: plain facts about one exchange. Members are asked for only when an expression reads
 * them, so implement them as getters; making a context then costs nothing. An absent member makes reading it an error.
 *
 * Dynamic members take what `JSON.parse` gives, plus `Secret` for what must not show. `jwt`, `apiKey`,
 * `llmRequest` and the arguments and results of MCP tools must not change once they were read: their conversion is kept.
 */
export interface CelContext {
  readonly request?: RequestFacts | undefined
  readonly response?: ResponseFacts | undefined
  readonly source?: SourceFacts | undefined
  readonly destination?: DestinationFacts | undefined
  readonly proxy?: ProxyFacts | undefined
  readonly backend?: BackendFacts | undefined
  readonly env?: EnvFacts | undefined
  readonly jwt?: object | undefined
  readonly apiKey?: object | undefined
  readonly basicAuth?: BasicAuthFacts | undefined
  readonly llm?: LlmFacts | undefined
  readonly llmRequest?: unknown
  readonly mcp?: McpFacts | undefined
  readonly mcpGuardrails?: object | undefined
  readonly extauthz?: object | undefined
  readonly extproc?: object | undefined
  readonly metadata?: object | undefined
}

/** What request and response have in common. */
export interface MessageFacts {
  readonly headers: HeaderSource
  /** All of the body; undefined if it was not buffered, which makes reading it an error. */
  readonly body: Uint8Array | undefined
  /** The first bytes of a body too large for `body`. */
  readonly bodyPrefix?: Uint8Array | undefined
  /** Every header whose value `redacted()` hides, lower-case; without it the default set. */
  readonly sensitiveHeaders?: ReadonlySet<string> | undefined
}

/** The request, as far as stages have rewritten it. */
export interface RequestFacts extends MessageFacts {
  readonly method: string
  /** `scheme://host/path?query`. */
  readonly uri: string
  /** With the port, if the client named one. */
  readonly host: string
  readonly scheme: string
  readonly path: string
  readonly pathAndQuery: string
  /** Such as `HTTP/1.1`. */
  readonly version: string
  readonly startTime: Date
  /** Present once the exchange has ended. */
  readonly endTime?: Date | undefined
}

/** The answer. */
export interface ResponseFacts extends MessageFacts {
  readonly code: number
  readonly grpcStatus?: number | undefined
}

/** The client: its addresses, and what its certificate says if one was verified. */
export interface SourceFacts {
  readonly address: string
  readonly port: number
  /** The TCP peer, before PROXY protocol. */
  readonly rawAddress: string
  readonly rawPort: number
  readonly identity?: IdentityFacts | undefined
  readonly spiffeId?: string | undefined
  readonly subjectAltNames?: readonly string[] | undefined
  readonly issuer?: string | undefined
  readonly subject?: string | undefined
  readonly subjectCn?: string | undefined
  /** PEM. */
  readonly certificate?: string | undefined
  readonly unverifiedWorkload?: WorkloadFacts | undefined
  readonly connectHeaders?: HeaderSource | undefined
}

/** A workload by its SPIFFE id. */
export interface IdentityFacts {
  readonly trustDomain: string
  readonly namespace: string
  readonly serviceAccount: string
}

/** A workload by its address. */
export interface WorkloadFacts {
  readonly name: string
  readonly namespace: string
  readonly serviceAccount: string
}

/** The end of the client’s connection that is ours. */
export interface DestinationFacts {
  readonly address: string
  readonly port: number
  /** The name asked for in the TLS handshake. */
  readonly hostname?: string | undefined
}

/** Names of where the exchange is, and its times so far. */
export interface ProxyFacts {
  readonly bind: string
  readonly gateway?: { readonly namespace: string; readonly name: string } | undefined
  readonly listener?: { readonly name: string } | undefined
  readonly route?: RouteFacts | undefined
  /** Milliseconds, from admission to the call upstream. */
  readonly requestProcessingMs?: number | undefined
  readonly upstreamMs?: number | undefined
  readonly responseProcessingMs?: number | undefined
}

/** The route chosen. */
export interface RouteFacts {
  readonly namespace: string
  readonly name: string
  readonly kind?: string | undefined
  readonly rule?: string | undefined
}

/** The backend chosen. */
export interface BackendFacts {
  readonly name: string
  /** `ai`, `mcp`, `static`, `dynamic`, `service` or `unknown`. */
  readonly type: string
  /** `http`, `tcp`, `a2a`, `mcp` or `llm`. */
  readonly protocol: string
}

/** Who proved to know a password. */
export interface BasicAuthFacts {
  readonly username: string
}

/** Where this process runs. */
export interface EnvFacts {
  readonly podName?: string | undefined
  readonly namespace?: string | undefined
  readonly gateway?: string | undefined
}
