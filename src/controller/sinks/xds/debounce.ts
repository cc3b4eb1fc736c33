/** When a burst of events counts as over. */
export interface DebounceTimes {
  /** Without an event for so long, it is over. */
  readonly quietMs: number
  /** A burst that lasts longer counts as over after this. */
  readonly maxMs: number
}

/** Turns bursts of events into single calls. */
export class Debounce {
  readonly #times: DebounceTimes
  readonly #run: () => void
  #timer: NodeJS.Timeout | undefined = undefined
  #firstAt = 0

  constructor(times: DebounceTimes, run: () => void) {
    this.#times = times
    this.#run = run
  }

  /** An event: the call comes once it is quiet. */
  trigger(): void {
    const now = performance.now()
    if (this.#timer === undefined) this.#firstAt = now
    clearTimeout(this.#timer)
    const leftMs = Math.max(0, this.#firstAt + this.#times.maxMs - now)
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined
        this.#run()
      },
      Math.min(this.#times.quietMs, leftMs),
    )
  }

  /** Cancels a pending call. */
  cancel(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }
}
