import type { Exchange } from '../model/exchange/exchange.ts'
import type { TraceBatch } from './trace-batch.ts'

/** What a watcher wants to see, and where it goes. */
export interface Watch {
  /** Asked once per exchange, when it is admitted; one that throws says no. Absent: every exchange. */
  readonly filter?: ((x: Exchange) => boolean) | undefined
  /** Exchanges to watch, `Infinity` for all that come. Default 1. */
  readonly count?: number | undefined
  /** Bodies as well. Default false. */
  readonly bodies?: boolean | undefined
  /** Takes events, off the stack of any request and within milliseconds of when they happened. */
  receive(batches: readonly TraceBatch[]): void
  /** Called once, after the last event of the last exchange. */
  done?(): void
}

/** One watcher, and how far it has come. */
export class Watcher {
  readonly bodies: boolean
  readonly #watch: Watch
  #remaining: number
  /** Exchanges admitted and not ended. */
  #running = 0
  #stopped = false
  #inbox: TraceBatch[] = []

  constructor(watch: Watch) {
    this.#watch = watch
    this.#remaining = watch.count ?? 1
    this.bodies = watch.bodies ?? false
  }

  /** Takes further exchanges. */
  get isOpen(): boolean {
    return this.#remaining > 0
  }

  /** Has seen the end of all it asked for. */
  get isDone(): boolean {
    return this.#remaining <= 0 && this.#running === 0
  }

  matches(x: Exchange): boolean {
    if (!this.#watch.filter) return true
    try {
      return this.#watch.filter(x)
    } catch {
      return false
    }
  }

  admit(): void {
    this.#remaining--
    this.#running++
  }

  enqueue(batch: TraceBatch, isLast: boolean): void {
    this.#inbox.push(batch)
    if (isLast) this.#running--
  }

  deliver(): void {
    const batches = this.#inbox
    this.#inbox = []
    if (!this.#stopped) this.#watch.receive(batches)
  }

  /** Gets nothing any more. */
  stop(): void {
    this.#stopped = true
  }

  end(): void {
    if (this.#stopped) return
    this.#stopped = true
    this.#watch.done?.()
  }
}
