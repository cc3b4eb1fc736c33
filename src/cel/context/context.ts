import type { HeaderSource } from './headers-view.ts'
import type { LlmAttributes } from '../../model/llm/llm-attributes.ts'
import type { McpAttributes } from '../../model/mcp/mcp-attributes.ts'

/**
 * The attributes of one exchange that an expression may read. A member is read only when an expression reads
 * it, so implement members as getters; creating a context then costs nothing. Reading an absent member is an
 * error.
 *
 * Dynamic members take values of `JSON.parse`, plus `Secret` for credentials. `jwt`, `apiKey`, `llmRequest`
 * and the arguments and results of MCP tools must not change once they were read: their conversion is
 * cached.
 */
export interface CelContext {
  readonly request?: HttpRequestAttributes | undefined
  readonly response?: ResponseAttributes | undefined
  readonly source?: SourceAttributes | undefined
  readonly destination?: DestinationAttributes | undefined
  readonly proxy?: ProxyAttributes | undefined
  readonly backend?: BackendAttributes | undefined
  readonly env?: EnvAttributes | undefined
  readonly jwt?: object | undefined
  readonly apiKey?: object | undefined
  readonly basicAuth?: BasicAuthAttributes | undefined
  readonly llm?: LlmAttributes | undefined
  readonly llmRequest?: unknown
  readonly mcp?: McpAttributes | undefined
  readonly mcpGuardrails?: object | undefined
  readonly extauthz?: object | undefined
  readonly extproc?: object | undefined
  readonly metadata?: object | undefined
}

/** Fields that request and response share. */
export interface MessageAttributes {
  readonly headers: HeaderSource
  /** The whole body; undefined if it was not buffered, which makes reading it an error. */
  readonly body: Uint8Array | undefined
  /** The first bytes of a body too large for `body`. */
  readonly bodyPrefix?: Uint8Array | undefined
  /** Every header whose value `redacted()` hides, lower-case. Default: {@link defaultSensitiveHeaders}. */
  readonly sensitiveHeaders?: ReadonlySet<string> | undefined
}

/** The request, with the changes of earlier stages. */
export interface HttpRequestAttributes extends MessageAttributes {
  readonly method: string
  /** `scheme://host/path?query`. */
  readonly uri: string
  /** With the port, if the client sent one. */
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

/** The response to the client. */
export interface ResponseAttributes extends MessageAttributes {
  readonly code: number
  readonly grpcStatus?: number | undefined
}

/** The client: its addresses, and the attributes of its certificate if one was verified. */
export interface SourceAttributes {
  readonly address: string
  readonly port: number
  /** The address of the TCP connection, before PROXY protocol. */
  readonly rawAddress: string
  readonly rawPort: number
  readonly identity?: IdentityAttributes | undefined
  readonly spiffeId?: string | undefined
  readonly subjectAltNames?: readonly string[] | undefined
  readonly issuer?: string | undefined
  readonly subject?: string | undefined
  readonly subjectCn?: string | undefined
  /** PEM. */
  readonly certificate?: string | undefined
  readonly unverifiedWorkload?: WorkloadAttributes | undefined
  readonly connectHeaders?: HeaderSource | undefined
}

/** A workload by its SPIFFE id. */
export interface IdentityAttributes {
  readonly trustDomain: string
  readonly namespace: string
  readonly serviceAccount: string
}

/** A workload by its address. */
export interface WorkloadAttributes {
  readonly name: string
  readonly namespace: string
  readonly serviceAccount: string
}

/** The gateway's end of the client connection. */
export interface DestinationAttributes {
  readonly address: string
  readonly port: number
  /** The SNI of the TLS handshake. */
  readonly hostname?: string | undefined
}

/** The bind, gateway, listener and route of the exchange, and its times so far. */
export interface ProxyAttributes {
  readonly bind: string
  readonly gateway?: { readonly namespace: string; readonly name: string } | undefined
  readonly listener?: { readonly name: string } | undefined
  readonly route?: RouteAttributes | undefined
  /** Milliseconds, from admission to the call upstream. */
  readonly requestProcessingMs?: number | undefined
  readonly upstreamMs?: number | undefined
  readonly responseProcessingMs?: number | undefined
}

/** The route chosen. */
export interface RouteAttributes {
  readonly namespace: string
  readonly name: string
  readonly kind?: string | undefined
  readonly rule?: string | undefined
}

/** The backend chosen. */
export interface BackendAttributes {
  readonly name: string
  /** `ai`, `mcp`, `static`, `dynamic`, `service`, `internal` or `unknown`. */
  readonly type: string
  /** `http`, `tcp`, `a2a`, `mcp` or `llm`. */
  readonly protocol: string
}

/** The user that basic authentication verified. */
export interface BasicAuthAttributes {
  readonly username: string
}

/** The environment of this process. */
export interface EnvAttributes {
  readonly podName?: string | undefined
  readonly namespace?: string | undefined
  readonly gateway?: string | undefined
}
