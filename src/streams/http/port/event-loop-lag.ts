import { monitorEventLoopDelay } from 'node:perf_hooks'

/** How often the lag is measured, in milliseconds. */
const MEASURE_EVERY_MS = 250
/** Measurements that are kept: a quarter of a minute, the usual scrape interval. */
const MEASUREMENTS = 60
/** How often delays are sampled, in milliseconds. A sample is the time between two timers. */
const SAMPLE_EVERY_MS = 50

/**
 * Detects an event loop that stays late: one long task is no reason to reject work, lag in measurement after
 * measurement is.
 */
export class EventLoopLag {
  /** Lag above this is too much, in milliseconds. */
  limitMs = Infinity
  /** How long it must have been too much, in milliseconds. */
  forMs = 0
  /** Whether the lag has been too much for that long. */
  tooMuch = false
  #histogram: ReturnType<typeof monitorEventLoopDelay> | undefined = undefined
  #timer: NodeJS.Timeout | undefined = undefined
  #measuredAt = 0
  readonly #lags: number[] = []
  #lateSince: number | undefined = undefined

  /** The worst lag of the kept measurements, in milliseconds. */
  get worstMs(): number {
    return Math.max(0, ...this.#lags)
  }

  /** Starts measuring; does not keep the process alive. */
  start(): void {
    if (this.#timer) return
    this.#histogram = monitorEventLoopDelay({ resolution: SAMPLE_EVERY_MS })
    this.#histogram.enable()
    this.#measuredAt = performance.now()
    this.#timer = setInterval(() => this.#measure(), MEASURE_EVERY_MS).unref()
  }

  /** Stops measuring and resets `tooMuch`. */
  stop(): void {
    clearInterval(this.#timer)
    this.#histogram?.disable()
    this.#timer = undefined
    this.#histogram = undefined
    this.tooMuch = false
  }

  /** Records a measurement: `lagMs` is the worst lag since the one before, `nowMs` the time. */
  observe(lagMs: number, nowMs: number): void {
    this.#lags.push(lagMs)
    if (this.#lags.length > MEASUREMENTS) this.#lags.shift()
    // However long a task was, only one measurement is late because of it.
    const wasLate = this.#lateSince !== undefined
    if (lagMs <= this.limitMs) this.#lateSince = undefined
    else this.#lateSince ??= nowMs - lagMs
    this.tooMuch = wasLate && this.#lateSince !== undefined && nowMs - this.#lateSince >= this.forMs
  }

  #measure(): void {
    const histogram = this.#histogram
    if (!histogram) return
    const now = performance.now()
    // A blocked loop takes no samples; the delay of this timer shows the block.
    const lateMs = now - this.#measuredAt - MEASURE_EVERY_MS
    this.#measuredAt = now
    this.observe(Math.max(0, histogram.max / 1e6 - SAMPLE_EVERY_MS, lateMs), now)
    histogram.reset()
  }
}
