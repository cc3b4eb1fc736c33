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
  /** One a request, or the tokens of language models. */
  readonly type: 'requests' | 'tokens'
  /** How much a request counts; without it 1, or the tokens that it used. */
  readonly cost?: Cel
  /** `{unit, requestsPerUnit}` in place of the service's own limit. */
  readonly limitOverride?: Cel
}
