import type { Body } from './body.ts'

/** Where a request stands between the replicas of a gateway. Only those that can reach one another know of it. */
export interface Hop {
  /** Name, value … of the fields as they came, before policies put anything else in their place. */
  readonly fields: readonly string[]
  /** As it came, once a policy has put another one in its place. */
  body?: Body
  /** Another replica has passed it on: it goes no further. */
  readonly isPassedOn: boolean
}
