import type { Cel } from './policies.ts'
import type { PolicyBackend } from './policy-backend.ts'

/** Lets a service of somebody else's decide who may pass. */
export interface ExtAuthz {
  readonly service: PolicyBackend
  readonly protocol: GrpcAuthz | HttpAuthz
  /** What happens when the service cannot be asked: pass, or this status. */
  readonly failureMode: 'allow' | { readonly denyWithStatus: number }
  /** Lower-case. For gRPC an empty list means all; over HTTP, Authorization is always sent. */
  readonly includeRequestHeaders: readonly string[]
  readonly includeRequestBody?: IncludedBody
  /** Headers that the service sets: what the client sends under these names goes no further. Lower-case. */
  readonly resultHeaders: readonly string[]
  readonly cache?: AuthzCache
}

/** By Envoy's `Authorization` service. */
export interface GrpcAuthz {
  readonly type: 'grpc'
  readonly context: readonly (readonly [key: string, value: string])[]
  /** Undefined sends the claims of a verified token, as other proxies do. */
  readonly metadata?: readonly (readonly [namespace: string, value: Cel])[]
}

/** By the status of an HTTP answer. */
export interface HttpAuthz {
  readonly type: 'http'
  readonly path?: Cel
  readonly redirect?: Cel
  readonly body?: Cel
  /** Of the answer, copied to the request. Lower-case. */
  readonly includeResponseHeaders: readonly string[]
  readonly addRequestHeaders: readonly (readonly [name: string, value: Cel])[]
  readonly metadata: readonly (readonly [key: string, value: Cel])[]
}

/** How much of a request body the service sees. */
export interface IncludedBody {
  readonly maxRequestBytes: number
  /** Shows the beginning of longer ones; otherwise they are refused. */
  readonly allowPartialMessage: boolean
  readonly packAsBytes: boolean
}

/** Which decisions are remembered, and for how long. */
export interface AuthzCache {
  readonly key: readonly Cel[]
  readonly ttl: Cel
  readonly maxEntries: number
}
