import type { Lease } from './lease.ts'

/**
 * When a lease of another replica expires: its duration after it was last seen to change. Clocks of machines differ, so
 * the times in the lease are not compared with this one.
 */
export class LeaseExpiry {
  readonly #now: () => number
  #seen: { readonly version: string | undefined; readonly at: number } | undefined = undefined

  /** @param now A clock in milliseconds that never goes back. */
  constructor(now: () => number) {
    this.#now = now
  }

  /** Takes the lease as it was just read; returns whether it has expired. */
  hasExpired({ metadata, spec }: Lease): boolean {
    const version = metadata.resourceVersion
    const now = this.#now()
    if (this.#seen?.version !== version) this.#seen = { version, at: now }
    return now - (this.#seen?.at ?? now) > (spec?.leaseDurationSeconds ?? 0) * 1_000
  }
}
