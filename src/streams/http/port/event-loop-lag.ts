import { monitorEventLoopDelay } from 'node:perf_hooks'

/** How often the lag is looked at, in milliseconds. */
const LOOK_EVERY_MS = 250
/** How many looks are remembered: a quarter of a minute, the usual time between two scrapes. */
const LOOKS = 60
/** How often delays are sampled, in milliseconds. A sample is the time between two of them. */
const SAMPLE_EVERY_MS = 50

/**
 * Notices an event loop that is late for long: one long task is no reason to turn work away, a loop that is late in
 * look after look is.
 */
export class EventLoopLag {
  /** A lag beyond this is too much, in milliseconds. */
  limitMs = Infinity
  /** For how long it must have been too much, in milliseconds. */
  forMs = 0
  /** Whether it has been. */
  tooMuch = false
  #histogram: ReturnType<typeof monitorEventLoopDelay> | undefined = undefined
  #timer: NodeJS.Timeout | undefined = undefined
  #lookedAt = 0
  readonly #lags: number[] = []
  #lateSince: number | undefined = undefined

  /** The worst lag in the last looks, in milliseconds. */
  get worstMs(): number {
    return Math.max(0, ...this.#lags)
  }

  /** Begins to measure; keeps no process alive. */
  start(): void {
    if (this.#timer) return
    this.#histogram = monitorEventLoopDelay({ resolution: SAMPLE_EVERY_MS })
    this.#histogram.enable()
    this.#lookedAt = performance.now()
    this.#timer = setInterval(() => this.#look(), LOOK_EVERY_MS).unref()
  }

  /** Ends measuring; nothing is too much any more. */
  stop(): void {
    clearInterval(this.#timer)
    this.#histogram?.disable()
    this.#timer = undefined
    this.#histogram = undefined
    this.tooMuch = false
  }

  /** One look: `lagMs` is the worst lag since the look before, `nowMs` the time. */
  observe(lagMs: number, nowMs: number): void {
    this.#lags.push(lagMs)
    if (this.#lags.length > LOOKS) this.#lags.shift()
    // However long a task was, the look after it is the first that is late.
    const wasLate = this.#lateSince !== undefined
    if (lagMs <= this.limitMs) this.#lateSince = undefined
    else this.#lateSince ??= nowMs - lagMs
    this.tooMuch = wasLate && this.#lateSince !== undefined && nowMs - this.#lateSince >= this.forMs
  }

  #look(): void {
    const histogram = this.#histogram
    if (!histogram) return
    const now = performance.now()
    // A blocked loop takes no samples; how late this look is tells of the block it comes after.
    const lateMs = now - this.#lookedAt - LOOK_EVERY_MS
    this.#lookedAt = now
    this.observe(Math.max(0, histogram.max / 1e6 - SAMPLE_EVERY_MS, lateMs), now)
    histogram.reset()
  }
}
