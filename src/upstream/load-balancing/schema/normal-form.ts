import type { Cel } from '../../../model/resources/policies.ts'

/** Which responses count as failures, when an endpoint is evicted, and how it is checked. */
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
  /** 0…1: while fewer than this share can be used, all are. */
  readonly panicThreshold?: number
  /** Duration of the reduced share of a new or returning endpoint. */
  readonly slowStartMs?: number
}

/** Requests of the gateway that check whether an endpoint can be used. */
export type ActiveCheck = CheckTimes & CheckProbe

/** The interval of checks, and the effect of their results. */
export interface CheckTimes {
  readonly intervalMs: number
  readonly timeoutMs: number
  /** Consecutive good checks after which an unhealthy endpoint is used again. */
  readonly healthyThreshold: number
  /** Consecutive bad checks after which an endpoint is unhealthy. */
  readonly unhealthyThreshold: number
}

/** The kind of a check: a GET, a call of `grpc.health.v1.Health/Check`, or a connection. */
export type CheckProbe =
  | { readonly http: HttpCheck }
  | { readonly grpc: GrpcCheck }
  | { readonly tcp: Readonly<Record<string, never>> }

/** A GET; its status is the result. */
export interface HttpCheck {
  readonly path: string
  /** Healthy statuses: `204`, `200-299` or `2xx`. */
  readonly expect: readonly string[]
  /** Host field; default: the name of the backend. */
  readonly host?: string
}

/** A check of one service; without a name, of the whole server. */
export interface GrpcCheck {
  readonly service?: string
  /** As in {@link HttpCheck}. */
  readonly host?: string
}

/** The load balancing policy for several endpoints or backends. */
export type LoadBalancing =
  | { readonly roundRobin: object }
  | { readonly leastRequest: object }
  | { readonly random: object }
  | { readonly ringHash: { readonly key: Cel } }
