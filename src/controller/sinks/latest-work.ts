import { Observable, type OperatorFunction, Subscription, timer } from 'rxjs'
import { type ApiFailure, asApiFailure } from '../api/api-failure.ts'
import { Backoff, type BackoffLimits } from '../api/backoff.ts'

/** How work on items is done. */
export interface LatestWorkOptions<Item, Outcome> {
  readonly keyOf: (item: Item) => string
  /** Does the work on an item; a failure is reported, and the work is done again after a delay. */
  readonly work: (item: Item) => Observable<Outcome>
  readonly onFailure: (item: Item, failure: ApiFailure, delayMs: number) => Outcome
  /** Work is done while this replica is the leader. A new leader works on all items. */
  readonly isLeader$: Observable<boolean>
  /** Whether an item is dropped when its work is done. */
  readonly isLast: (item: Item) => boolean
  /** Whether there is something to do, as far as is known now. A replica that does not lead forgets other items. */
  readonly hasWork: (item: Item) => boolean
  /** Keys whose items are to be worked on again. */
  readonly again$?: Observable<string>
  readonly concurrency: number
  readonly backoff: BackoffLimits
}

/**
 * Works on the latest item of each key: on several keys at once, on one item of a key at a time. An item that is
 * superseded before its turn is skipped; work under way is completed, unless the leadership is lost. Work on a key that
 * has failed is done again after a delay that grows until it succeeds; a newer item waits for the first delay at most.
 */
export const workOnLatest =
  <Item, Outcome>(options: LatestWorkOptions<Item, Outcome>): OperatorFunction<Item, Outcome> =>
  (items$) =>
    new Observable((out) => {
      const queue = new LatestQueue(options, (outcome) => out.next(outcome))
      const subscription = new Subscription(() => queue.stop())
      const onError = (error: unknown) => out.error(error)
      subscription.add(
        options.isLeader$.subscribe({
          next: (isLeader) => (isLeader ? queue.start() : queue.stop()),
          error: onError,
        }),
      )
      subscription.add(options.again$?.subscribe({ next: (key) => queue.repeat(key), error: onError }))
      subscription.add(items$.subscribe({ next: (item) => queue.add(item), error: onError }))
      return subscription
    })

class LatestQueue<Item, Outcome> {
  readonly #options: LatestWorkOptions<Item, Outcome>
  readonly #onOutcome: (outcome: Outcome) => void
  readonly #latest = new Map<string, Item>()
  /** Keys in the order of their turns. */
  readonly #queued = new Set<string>()
  readonly #running = new Map<string, Subscription>()
  readonly #delayed = new Map<string, Delay<Item>>()
  readonly #backoffs = new Map<string, Backoff>()
  #isActive = false
  #isPicking = false
  /** When work began in this turn of the event loop. */
  #beganAt: number | undefined = undefined
  #isTurnOver = false
  /** Items beyond this are looked through for those without work. */
  #sweepAt = SWEEP_ITEMS

  constructor(options: LatestWorkOptions<Item, Outcome>, onOutcome: (outcome: Outcome) => void) {
    this.#options = options
    this.#onOutcome = onOutcome
  }

  add(item: Item): void {
    const key = this.#options.keyOf(item)
    this.#latest.set(key, item)
    if (this.#isActive) this.#enqueue(key)
    else if (!this.#options.hasWork(item)) this.#latest.delete(key)
    else if (this.#latest.size > this.#sweepAt) this.#sweep()
  }

  repeat(key: string): void {
    if (this.#latest.has(key)) this.#enqueue(key)
  }

  start(): void {
    if (this.#isActive) return
    this.#isActive = true
    for (const key of this.#latest.keys()) this.#queued.add(key)
    this.#next()
  }

  stop(): void {
    this.#isActive = false
    this.#queued.clear()
    this.#backoffs.clear()
    for (const running of this.#running.values()) running.unsubscribe()
    this.#running.clear()
    for (const { timer } of this.#delayed.values()) timer.unsubscribe()
    this.#delayed.clear()
  }

  /** What was to be done when it came may be needless by now: objects are deleted without another item. */
  #sweep(): void {
    for (const [key, item] of this.#latest) if (!this.#options.hasWork(item)) this.#latest.delete(key)
    this.#sweepAt = Math.max(SWEEP_ITEMS, 2 * this.#latest.size)
  }

  #enqueue(key: string): void {
    if (!this.#isActive) return
    const delayed = this.#delayed.get(key)
    if (delayed) {
      // What failed may work now, but an item that changes all the time must not become a loop without delays.
      const waitMs = Math.min(this.#options.backoff.firstMs, delayed.dueMs - performance.now())
      this.#enqueueIn(key, waitMs, delayed)
      return
    }
    this.#queued.add(key)
    this.#next()
  }

  #next(): void {
    // Work that completes at once re-enters this function: the running loop continues, without recursion.
    if (this.#isPicking || this.#isTurnOver) return
    this.#isPicking = true
    for (const key of this.#queued) {
      if (this.#running.size >= this.#options.concurrency) break
      this.#beganAt ??= this.#beginTurn()
      this.#isTurnOver = performance.now() - this.#beganAt >= TURN_MS
      if (this.#isTurnOver) break
      if (this.#running.has(key)) continue
      this.#queued.delete(key)
      const item = this.#latest.get(key)
      if (item !== undefined) this.#run(key, item)
    }
    this.#isPicking = false
  }

  /** After a restart, thousands of items need nothing, and are done at once: others have their turns meanwhile. */
  #beginTurn(): number {
    setImmediate(() => {
      this.#beganAt = undefined
      if (!this.#isTurnOver) return
      this.#isTurnOver = false
      this.#next()
    })
    return performance.now()
  }

  #run(key: string, item: Item): void {
    const running = new Subscription()
    this.#running.set(key, running)
    running.add(
      this.#options.work(item).subscribe({
        next: this.#onOutcome,
        complete: () => {
          this.#running.delete(key)
          this.#backoffs.delete(key)
          if (this.#latest.get(key) === item && this.#options.isLast(item)) this.#latest.delete(key)
          this.#next()
        },
        error: (error: unknown) => {
          this.#running.delete(key)
          this.#delay(key, item, asApiFailure(error))
          this.#next()
        },
      }),
    )
  }

  #delay(key: string, item: Item, failure: ApiFailure): void {
    const backoff = this.#backoffs.get(key) ?? new Backoff(this.#options.backoff)
    this.#backoffs.set(key, backoff)
    const fullMs = backoff.next(failure.retryAfterMs)
    // A newer item is waiting for its turn: it may work.
    const isSuperseded = this.#queued.delete(key)
    const waitMs = isSuperseded ? Math.min(this.#options.backoff.firstMs, fullMs) : fullMs
    const notBeforeMs = performance.now() + failure.retryAfterMs
    const delayMs = this.#enqueueIn(key, waitMs, { item, isOfServer: failure.status > 0, notBeforeMs })
    this.#onOutcome(this.#options.onFailure(item, failure, delayMs))
  }

  #enqueueIn(key: string, waitMs: number, { item, isOfServer, notBeforeMs }: Cause<Item>): number {
    this.#delayed.get(key)?.timer.unsubscribe()
    const isHeldBack = isOfServer || this.#latest.get(key) === item
    // Timers leave out a fraction.
    const delayMs = Math.ceil(Math.max(0, waitMs, isHeldBack ? notBeforeMs - performance.now() : 0))
    this.#delayed.set(key, {
      dueMs: performance.now() + delayMs,
      item,
      isOfServer,
      notBeforeMs,
      timer: timer(delayMs).subscribe(() => {
        this.#delayed.delete(key)
        this.#enqueue(key)
      }),
    })
    return delayMs
  }
}

/** What failed. Times are those of the monotonic clock. */
interface Cause<Item> {
  readonly item: Item
  /** Whether the server has asked for the time; otherwise a newer item need not wait for it. */
  readonly isOfServer: boolean
  readonly notBeforeMs: number
}

/** When the work on a key is done again, and why not now. */
interface Delay<Item> extends Cause<Item> {
  readonly dueMs: number
  readonly timer: Subscription
}

const SWEEP_ITEMS = 64
const TURN_MS = 5
