import { catchError, concatMap, defer, EMPTY, ignoreElements, map, type Observable, of, tap } from 'rxjs'
import type { ModuleLog } from '../../model/log/module-log.ts'
import type { ApiClient } from '../api/api-client.ts'
import { asApiFailure } from '../api/api-failure.ts'
import { type ElectionLease, type LeaseSpec, microTime, readLease, writeLease } from './election-lease.ts'
import type { LeaderTerm } from './leader-term.ts'

/** How replicas elect a leader. */
export interface LeadershipOptions {
  readonly client: ApiClient
  readonly namespace: string
  /** The lease that replicas compete for. */
  readonly name: string
  /** Of this replica; never the same in two processes, not even one after the other. */
  readonly identity: string
  /** Ends the election. A leader releases the lease, so that another replica need not wait until it expires. */
  readonly stop$: Observable<unknown>
  readonly log: ModuleLog
  /** Is kept up to date. */
  readonly term?: LeaderTerm
  readonly times?: Partial<LeaseTimes>
}

/** Times of an election. */
export interface LeaseTimes {
  /** Others take the lease when they have not seen it renewed for so long. */
  readonly leaseSeconds: number
  /** A leader that could not renew for so long is none any more. Less than the lease, so that there are never two. */
  readonly renewMs: number
  /** Between renewals, and between attempts. */
  readonly retryMs: number
}

/**
 * A replica's part in an election. Clocks of other replicas do not matter: a lease has expired when this replica has
 * seen no renewal for its duration. A renewal counts from before its request was sent, which is before others see it.
 */
export class Election {
  readonly #options: LeadershipOptions
  readonly #times: LeaseTimes
  /** `performance.now()`; undefined while this replica is not the leader. */
  #leaderUntil: number | undefined = undefined
  /** The lease of another replica as it was last seen, and until when it is respected. */
  #seen: { readonly spec: string; readonly until: number } | undefined = undefined

  constructor(options: LeadershipOptions) {
    this.#options = options
    this.#times = { ...defaultTimes, ...options.times }
  }

  /** Tries to take or to renew the lease; emits how long this replica is the leader, or undefined. Does not fail. */
  attempt(): Observable<number | undefined> {
    const { client, log } = this.#options
    return readLease(client, this.#options, this.#requestMs).pipe(
      concatMap((lease) => {
        if (lease && !this.#isFree(lease)) return of(undefined)
        const startedAt = performance.now()
        const until = startedAt + this.#times.renewMs
        return writeLease(client, this.#taken(lease), this.#requestMs).pipe(
          map((written) => (written ? until : undefined)),
        )
      }),
      tap((until) => {
        this.#leaderUntil = until
        if (this.#options.term) this.#options.term.until = until ?? -Infinity
      }),
      catchError((error: unknown) => {
        const { status, reason, message } = asApiFailure(error)
        log.warn?.('the lease cannot be read or written', { status, reason, error: message })
        return of(this.#leaderUntil)
      }),
    )
  }

  /** When to try next: others' leases are tried when they expire. */
  nextAttemptMs(): number {
    const retryMs = this.#times.retryMs * (0.8 + 0.4 * Math.random())
    const expiresMs = (this.#seen?.until ?? Infinity) - performance.now()
    // One that has expired was tried: if it could not be taken, at once is too soon.
    return expiresMs > 0 ? Math.min(retryMs, expiresMs) : retryMs
  }

  /** Gives the lease back, if this replica has it. Emits nothing, and does not fail. */
  release(): Observable<never> {
    const { client, log, identity } = this.#options
    return defer(() => {
      if (this.#options.term) this.#options.term.until = -Infinity
      if (this.#leaderUntil === undefined) return EMPTY
      // Read again: an attempt may have been ended while its request was under way.
      return readLease(client, this.#options, this.#requestMs)
    }).pipe(
      concatMap((lease) => {
        if (lease?.spec?.holderIdentity !== identity) return EMPTY
        const spec = { ...lease.spec, holderIdentity: '', leaseDurationSeconds: 1 }
        return writeLease(client, { ...lease, spec }, this.#requestMs)
      }),
      catchError((error: unknown) => {
        log.warn?.('the lease cannot be released', { error: asApiFailure(error).message })
        return EMPTY
      }),
      ignoreElements(),
    )
  }

  /** Hung requests must leave time for others before the leadership ends. */
  get #requestMs(): number {
    return this.#times.renewMs / 3
  }

  #isFree({ spec }: ElectionLease): boolean {
    const { holderIdentity = '', leaseDurationSeconds = this.#times.leaseSeconds } = spec ?? {}
    if (holderIdentity === '' || holderIdentity === this.#options.identity) {
      this.#seen = undefined
      return true
    }
    const now = performance.now()
    const text = JSON.stringify(spec)
    if (this.#seen?.spec !== text) this.#seen = { spec: text, until: now + leaseDurationSeconds * 1_000 }
    return now >= this.#seen.until
  }

  #taken(lease: ElectionLease | undefined): ElectionLease {
    const { identity, namespace, name } = this.#options
    const before: LeaseSpec = lease?.spec ?? {}
    const now = microTime(new Date())
    const isOurs = before.holderIdentity === identity
    const spec = {
      holderIdentity: identity,
      leaseDurationSeconds: this.#times.leaseSeconds,
      acquireTime: isOurs ? (before.acquireTime ?? now) : now,
      renewTime: now,
      leaseTransitions: (before.leaseTransitions ?? 0) + (isOurs || !lease ? 0 : 1),
    }
    return { ...lease, metadata: lease?.metadata ?? { namespace, name }, spec }
  }
}

const defaultTimes: LeaseTimes = { leaseSeconds: 12, renewMs: 8_000, retryMs: 1_500 }
