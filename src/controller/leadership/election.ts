import {
  concat,
  defer,
  distinctUntilChanged,
  filter,
  lastValueFrom,
  map,
  type Observable,
  of,
  repeat,
  shareReplay,
  Subject,
  switchMap,
  takeUntil,
  timer,
} from 'rxjs'
import type { ModuleLog } from '../../model/log/module-log.ts'
import type { ApiClient } from '../api/api-client.ts'
import { asApiFailure } from '../api/api-failure.ts'
import { apiVersionOf, collectionPath, objectPath } from '../api/resource-path.ts'
import { claimedLease, isReleased, type Lease, releasedLease } from './lease.ts'
import { LeaseExpiry } from './lease-expiry.ts'

/** Options of an election. */
export interface ElectionOptions {
  readonly client: ApiClient
  readonly namespace: string
  /** Of the lease. */
  readonly name: string
  /** Of this replica. */
  readonly identity: string
  readonly log: ModuleLog
  readonly times?: ElectionTimes
}

/** Times of an election. */
export interface ElectionTimes {
  /** How long the lease lasts without being renewed. */
  readonly leaseSeconds: number
  /** A leader that could not renew the lease for so long stops leading; less than the lease lasts. */
  readonly renewDeadlineMs: number
  /** Time between attempts. */
  readonly retryMs: number
}

/** The election of one leader among the replicas. */
export interface Election {
  /** Whether this replica leads; begins once that is known. */
  readonly isLeader$: Observable<boolean>
  /** Takes no more part. A leader gives the lease up, so that another replica leads at once. */
  close(): Promise<void>
}

const leases = { group: 'coordination.k8s.io', version: 'v1', plural: 'leases' }
const defaultTimes: ElectionTimes = { leaseSeconds: 15, renewDeadlineMs: 10_000, retryMs: 2_000 }

/**
 * Takes part in an election by a Lease. A replica leads while it renews the lease; when it stops, another takes it over
 * once the lease has expired. Updates carry the version that was read, so that of two replicas one succeeds.
 */
export const openElection = (options: ElectionOptions): Election => {
  const { log, times = defaultTimes } = options
  const candidate = new Candidate(options, times)
  const closed$ = new Subject<void>()
  const isLeader$ = defer(() => candidate.attempt()).pipe(
    repeat({ delay: () => timer(times.retryMs * (0.9 + Math.random() / 5)) }),
    filter((outcome) => outcome !== 'unknown'),
    switchMap((outcome) => (outcome === 'held' ? untilDeadline(candidate, times) : of(false))),
    takeUntil(closed$),
    distinctUntilChanged(),
    shareReplay({ bufferSize: 1, refCount: true }),
  )
  return {
    isLeader$,
    close: async () => {
      closed$.next()
      await candidate.release().catch((error: unknown) => {
        log.warn?.('the lease could not be released', { error })
      })
    },
  }
}

const untilDeadline = (candidate: Candidate, { renewDeadlineMs }: ElectionTimes): Observable<boolean> =>
  concat(
    of(true),
    timer(Math.max(0, candidate.heldAt + renewDeadlineMs - performance.now())).pipe(map(() => false)),
  )

/** `unknown`: the API server did not reply; what was true before may still be. */
type Outcome = 'held' | 'lost' | 'unknown'

class Candidate {
  readonly #options: ElectionOptions
  readonly #times: ElectionTimes
  readonly #expiry = new LeaseExpiry(() => performance.now())
  #held: Lease | undefined = undefined
  #attempt: Promise<Outcome> | undefined = undefined
  /** When the lease was last renewed, by the clock of `performance.now()`: not later than the lease begins to run. */
  heldAt = 0

  constructor(options: ElectionOptions, times: ElectionTimes) {
    this.#options = options
    this.#times = times
  }

  /** Tries to get or renew the lease. */
  attempt(): Promise<Outcome> {
    this.#attempt = this.#try()
    return this.#attempt
  }

  /** Gives the lease up, once an attempt under way has ended. */
  async release(): Promise<void> {
    await this.#attempt
    const held = this.#held
    this.#held = undefined
    if (held) await this.#put(releasedLease(held, Date.now()))
  }

  async #try(): Promise<Outcome> {
    const { identity, log } = this.#options
    const began = performance.now()
    try {
      const lease = await this.#read()
      if (
        lease &&
        lease.spec?.holderIdentity !== identity &&
        !isReleased(lease) &&
        !this.#expiry.hasExpired(lease)
      ) {
        this.#held = undefined
        return 'lost'
      }
      this.#held = await this.#write(lease)
      this.heldAt = began
      return 'held'
    } catch (error) {
      const failure = asApiFailure(error)
      if (failure.isConflict) {
        this.#held = undefined
        return 'lost'
      }
      log.warn?.('the lease could not be read or renewed', { error: failure })
      return 'unknown'
    }
  }

  async #read(): Promise<Lease | undefined> {
    const { client, namespace, name } = this.#options
    try {
      const path = objectPath(leases, { namespace, name })
      return (await lastValueFrom(client.request({ method: 'GET', path, timeoutMs: REQUEST_MS }))) as Lease
    } catch (error) {
      if (asApiFailure(error).isNotFound) return undefined
      throw error
    }
  }

  #write(lease: Lease | undefined): Promise<Lease> {
    const { namespace, name, identity } = this.#options
    const claim = { identity, durationSeconds: this.#times.leaseSeconds, now: Date.now() }
    if (lease) return this.#put(claimedLease(lease, claim))
    const fresh = { apiVersion: apiVersionOf(leases), kind: 'Lease', metadata: { namespace, name } }
    return this.#send('POST', collectionPath(leases, namespace), claimedLease(fresh, claim))
  }

  #put(lease: Lease): Promise<Lease> {
    return this.#send('PUT', objectPath(leases, this.#options), lease)
  }

  async #send(method: 'POST' | 'PUT', path: string, body: Lease): Promise<Lease> {
    const { client } = this.#options
    return (await lastValueFrom(client.request({ method, path, body, timeoutMs: REQUEST_MS }))) as Lease
  }
}

const REQUEST_MS = 5_000
