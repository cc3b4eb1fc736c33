import {
  catchError,
  concat,
  defer,
  NEVER,
  type Observable,
  of,
  race,
  repeat,
  retry,
  tap,
  throwError,
  timer,
} from 'rxjs'
import { type ApiFailure, asApiFailure } from '../api/api-failure.ts'
import { Backoff } from '../api/backoff.ts'
import { type Kind, kinds } from '../kinds/kinds.ts'
import { listObjects } from './list-objects.ts'
import type { Observation, WatchPosition, ReflectorOptions } from './reflector-source.ts'
import { watchObjects } from './watch-objects.ts'

/**
 * Lists the objects of a kind and watches them, for ever. A watch that ends or breaks is resumed after the last event. When
 * the server no longer has the events since then, or an event cannot be read, the objects are listed again.
 */
export const listAndWatch = <K extends Kind>(
  kind: K,
  options: ReflectorOptions,
): Observable<Observation<K>> =>
  defer(() => {
    let position: WatchPosition = undefined
    const restart = new Restart(kind, options)
    return defer(() =>
      position === undefined ? listObjects(kind, options) : watchObjects(kind, position, options),
    ).pipe(
      catchError((error: unknown) => absence(kind, asApiFailure(error))),
      tap((observation) => {
        position = observation.position
        restart.onObservation(observation)
      }),
      repeat(), // after a list comes a watch, and after a watch the next one
      retry({
        delay: (failure: ApiFailure) => {
          if (!isOfConnection(failure)) position = undefined
          return restart.after(failure, position !== undefined || failure.reason === 'Unreachable')
        },
      }),
    )
  })

/** A kind of a definition that is not installed has no objects. */
const absence = <K extends Kind>(kind: K, failure: ApiFailure): Observable<Observation<K>> =>
  concat(
    failure.isNotFound && kinds[kind].isOptional
      ? of({ type: 'listed' as const, objects: new Map(), position: undefined })
      : [],
    throwError(() => failure),
  )

/** Whether the watch can go on from where it was. */
const isOfConnection = ({ status, reason }: ApiFailure): boolean =>
  (status === 0 && reason !== 'Malformed' && reason !== 'TooLarge') ||
  status === 401 ||
  status === 403 ||
  status === 429 ||
  (status >= 500 && reason !== 'Expired')

/** Delays restarts, and reports them. */
class Restart {
  readonly #kind: Kind
  readonly #options: ReflectorOptions
  readonly #backoff: Backoff
  #lastFailure = ''
  #listedAt = -Infinity

  constructor(kind: Kind, options: ReflectorOptions) {
    this.#kind = kind
    this.#options = options
    this.#backoff = new Backoff(options.backoff ?? { firstMs: 400, maxMs: 30_000 })
  }

  onObservation({ type, ...observation }: Observation<Kind>): void {
    const { observer } = this.#options
    if (type === 'listed') {
      if (observation.position === undefined) return
      this.#listedAt = performance.now()
      observer.onList(this.#kind, 'objects' in observation ? observation.objects.size : 0)
    } else {
      // A list alone proves nothing: lists that succeed before watches that fail would follow each other at once.
      this.#backoff.reset()
      this.#lastFailure = ''
      observer.onWatchEvent(this.#kind)
    }
  }

  /** Emits when the next attempt may begin; soon if it costs the API server little, as a watch does that goes on. */
  after(failure: ApiFailure, isCheap: boolean): Observable<unknown> {
    const { definitions$ = NEVER, observer } = this.#options
    const isFirstExpiry = failure.isExpired && performance.now() - this.#listedAt > RELIST_MS
    const delayMs = isFirstExpiry
      ? 0
      : this.#backoff.next(failure.retryAfterMs, isCheap ? RESUME_MS : Infinity)
    this.#log(failure, delayMs)
    observer.onRestart(this.#kind, failure, delayMs)
    if (!failure.isNotFound) return timer(delayMs)
    return race(timer(delayMs), definitions$.pipe(tap(() => this.#backoff.reset())))
  }

  #log(failure: ApiFailure, delayMs: number): void {
    const { log } = this.#options
    const { status, reason, message } = failure
    const isKnown = this.#lastFailure === `${status} ${reason}`
    this.#lastFailure = `${status} ${reason}`
    const fields = { kind: this.#kind, status, reason, error: message, delay_ms: Math.round(delayMs) }
    if (failure.isExpired || isKnown) log.debug?.('a kind is listed or watched again', fields)
    else if (failure.isNotFound && kinds[this.#kind].isOptional) log.info?.('a kind is not installed', fields)
    else log.warn?.('a kind cannot be listed or watched', fields)
  }
}

/** When the API server is back, what happened meanwhile is known within so long. */
const RESUME_MS = 4_000
/** Lists are expensive for the API server: after one, the next waits. */
const RELIST_MS = 10_000
