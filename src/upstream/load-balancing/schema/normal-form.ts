import type { Cel } from '../../../model/resources/policies.ts'

/** Which responses count as failures, when endpoints are evicted, and how they are checked. */
export interface HealthPolicy {
  /** Default: 5xx, no response, or a gRPC status other than 0. */
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
  /** 0…1: while fewer than this share are available, all are used. */
  readonly panicThreshold?: number
  /** How long a new or returning endpoint gets less than its share. */
  readonly slowStartMs?: number
}

/** Active health checks. */
export type ActiveCheck = CheckTimes & CheckProbe

/** Frequency and thresholds of checks. */
export interface CheckTimes {
  readonly intervalMs: number
  readonly timeoutMs: number
  /** Consecutive successful checks before an excluded endpoint is used again. */
  readonly healthyThreshold: number
  /** Consecutive failed checks before an endpoint is excluded. */
  readonly unhealthyThreshold: number
}

/** The kind of a check: a GET, a call of `grpc.health.v1.Health/Check`, or a connection. */
export type CheckProbe =
  | { readonly http: HttpCheck }
  | { readonly grpc: GrpcCheck }
  | { readonly tcp: Readonly<Record<string, never>> }

/** A GET whose status is evaluated. */
export interface HttpCheck {
  readonly path: string
  /** Status codes that count as success: `204`, `200-299` or `2xx`. */
  readonly expect: readonly string[]
  /** Host field. Default: the host of the backend. */
  readonly host?: string
}

/** A check of one service. Default: the whole server. */
export interface GrpcCheck {
  readonly service?: string
  /** As in {@link HttpCheck}. */
  readonly host?: string
}

/** Load balancing policy. */
export type LoadBalancing =
  | { readonly roundRobin: object }
  | { readonly leastRequest: object }
  | { readonly random: object }
  | { readonly ringHash: { readonly key: Cel } }
