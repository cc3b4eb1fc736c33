import type { Cel } from '../../../model/resources/policies.ts'

/** Which answers count against an endpoint, when it is left out for a while, and how it is checked. */
export interface HealthPolicy {
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
  readonly active?: ActiveCheck
  /** 0…1: while fewer than this share can be used, all are. */
  readonly panicThreshold?: number
  /** For how long an endpoint that comes, or comes back, gets less than its share. */
  readonly slowStartMs?: number
}

/** Requests of the gateway's own that show whether an endpoint can be used. */
export type ActiveCheck = CheckTimes & CheckProbe

/** How often is checked, and what the results lead to. */
export interface CheckTimes {
  readonly intervalMs: number
  readonly timeoutMs: number
  /** Good checks in a row after which an endpoint that was left out is used again. */
  readonly healthyThreshold: number
  /** Bad checks in a row after which an endpoint is left out. */
  readonly unhealthyThreshold: number
}

/** What a check does: a GET, a call of `grpc.health.v1.Health/Check`, or a connection. */
export type CheckProbe =
  | { readonly http: HttpCheck }
  | { readonly grpc: GrpcCheck }
  | { readonly tcp: Readonly<Record<string, never>> }

/** A GET whose status counts. */
export interface HttpCheck {
  readonly path: string
  /** Statuses that are good: `204`, `200-299` or `2xx`. */
  readonly expect: readonly string[]
  /** Host field; the backend's own name by default. */
  readonly host?: string
}

/** A question about a service; about the server as a whole without one. */
export interface GrpcCheck {
  readonly service?: string
  /** As that of {@link HttpCheck}. */
  readonly host?: string
}

/** How one of several places is chosen for a request. */
export type LoadBalancing =
  | { readonly roundRobin: object }
  | { readonly leastRequest: object }
  | { readonly random: object }
  | { readonly ringHash: { readonly key: Cel } }
