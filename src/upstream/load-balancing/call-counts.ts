import type { Closable } from '../draining.ts'

/** Counts and latency of the calls to one endpoint, provider or server since it is known. */
export interface CallCountsReport {
  /** Calls that began. */
  readonly requests: number
  /** Calls that failed. */
  readonly failures: number
  /** Moving average of the time to the response of calls that succeeded; undefined before the first. */
  readonly latencyMs: number | undefined
}

/** Counts calls. A call costs a few additions. */
export class CallCounts {
  #requests = 0
  #failures = 0
  /** Negative before the first sample. */
  #latencyMs = -1

  began(): void {
    this.#requests++
  }

  succeeded(latencyMs: number): void {
    const before = this.#latencyMs
    this.#latencyMs = before < 0 ? latencyMs : before + WEIGHT * (latencyMs - before)
  }

  failed(): void {
    this.#failures++
  }

  get report(): CallCountsReport {
    return {
      requests: this.#requests,
      failures: this.#failures,
      latencyMs: this.#latencyMs < 0 ? undefined : this.#latencyMs,
    }
  }
}

/**
 * The counts of a backend's calls, by endpoint. Backends share the endpoints of one address, and each has its own
 * counts; they last as long as the backend and the endpoint do.
 */
export class BackendCounts implements Closable {
  readonly #all = new WeakMap<object, CallCounts>()
  #lastEndpoint: object | undefined = undefined
  #lastCounts: CallCounts | undefined = undefined

  /** The counts of an endpoint, zero for a new one. */
  of(endpoint: object): CallCounts {
    // Most backends have one endpoint: a comparison is cheaper than a look-up.
    if (this.#lastCounts && this.#lastEndpoint === endpoint) return this.#lastCounts
    let counts = this.#all.get(endpoint)
    if (!counts) this.#all.set(endpoint, (counts = new CallCounts()))
    this.#lastEndpoint = endpoint
    return (this.#lastCounts = counts)
  }

  close(): Promise<void> {
    return Promise.resolve()
  }

  destroy(): Promise<void> {
    return Promise.resolve()
  }
}

/** Weight of the newest sample: the last ten calls or so determine the average. */
const WEIGHT = 0.1
