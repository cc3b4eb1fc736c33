import type { Exchange } from '../model/exchange/exchange.ts'
import type { TraceBatch } from './trace-batch.ts'

/** A subscription to the trace: a filter and a receiver. */
export interface Watch {
  /** Called once per exchange, at its admission; an exception means no. Absent: every exchange. */
  readonly filter?: ((x: Exchange) => boolean) | undefined
  /** Number of exchanges to trace, `Infinity` for all. Default 1. */
  readonly count?: number | undefined
  /** Whether to include bodies. Default false. */
  readonly bodies?: boolean | undefined
  /** Receives events, off the stack of any request and within milliseconds. */
  receive(batches: readonly TraceBatch[]): void
  /** Called once, after the last event of the last exchange. */
  done?(): void
}

/** One subscriber and its progress. */
export class Watcher {
  readonly bodies: boolean
  readonly #watch: Watch
  #remaining: number
  /** Number of exchanges admitted and not ended. */
  #running = 0
  #stopped = false
  #inbox: TraceBatch[] = []

  constructor(watch: Watch) {
    this.#watch = watch
    this.#remaining = watch.count ?? 1
    this.bodies = watch.bodies ?? false
  }

  /** Whether it accepts further exchanges. */
  get isOpen(): boolean {
    return this.#remaining > 0
  }

  /** Whether all requested exchanges have ended. */
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

  /** Stops all delivery. */
  stop(): void {
    this.#stopped = true
  }

  end(): void {
    if (this.#stopped) return
    this.#stopped = true
    this.#watch.done?.()
  }
}
