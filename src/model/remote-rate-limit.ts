import type { Cel } from './policies.ts'
import type { PolicyBackend } from './policy-backend.ts'

/** A limit that several gateways share: a service counts for all of them. */
export interface RemoteRateLimit {
  readonly service: PolicyBackend
  /** Keeps the counts of one configuration apart from those of others. */
  readonly domain: string
  readonly descriptors: readonly RateLimitDescriptor[]
  readonly failureMode: 'failClosed' | 'failOpen'
}

/** What is counted together. */
export interface RateLimitDescriptor {
  readonly entries: readonly (readonly [key: string, value: Cel])[]
  /** How much a request counts; 1 without it. */
  readonly cost?: Cel
  /** `{unit, requestsPerUnit}` in place of the service's own limit. */
  readonly limitOverride?: Cel
}
