import { performance } from 'node:perf_hooks'

/**
 * The time of `performance.now()` as nanoseconds since the epoch, in the two parts that OpenTelemetry uses.
 *
 * The monotonic clock drifts from the system's over weeks, and does not follow when that is set: beyond 20 ms the
 * difference is measured again. Smaller corrections would only make spans of one trace inconsistent.
 */
export class EpochClock {
  #originMs = performance.timeOrigin

  /** Measures the difference of the clocks again; called from time to time, such as before a batch. */
  synchronize(): void {
    const originMs = Date.now() - performance.now()
    if (Math.abs(originMs - this.#originMs) > TOLERANCE_MS) this.#originMs = originMs
  }

  /** @param at A time of `performance.now()`. */
  hrTime(at: number): [seconds: number, nanoseconds: number] {
    const ms = this.#originMs + at
    const seconds = Math.floor(ms / 1000)
    return [seconds, Math.min(999_999_999, Math.round((ms - seconds * 1000) * 1e6))]
  }
}

const TOLERANCE_MS = 20
