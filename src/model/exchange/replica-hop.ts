import type { Body } from './body.ts'

/** State of a request between the replicas of a gateway. Present only if replicas can reach one another. */
export interface Hop {
  /** The header fields as received, before policies change them: name, value …. */
  readonly fields: readonly string[]
  /** The body as received, set once a policy replaces it. */
  body?: Body
  /** It was forwarded by another replica and is not forwarded again. */
  readonly isPassedOn: boolean
}
