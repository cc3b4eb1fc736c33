/** A stage whose verdict is pending. */
export interface PendingStage {
  /** As in the trace. */
  readonly name: string
  /** `performance.now()` when it began. */
  readonly startedAt: number
}

/** A timer that ends an exchange, or a part of it. */
export interface PendingTimer {
  readonly name: string
  /** `performance.now()` at which it fires. */
  readonly dueAt: number
}

/**
 * What an exchange waits for besides its call to an upstream. Most exchanges have none: it is allocated by the first
 * stage that does not decide at once.
 */
export class ExchangeActivity<X> {
  /** The stage whose verdict is pending. */
  stage: PendingStage | undefined = undefined
  /** Timers that are set. */
  timers: readonly PendingTimer[] = []
  /** Exchanges with servers on behalf of this one. */
  inner: Set<X> | undefined = undefined

  /** Adds a timer that is set. */
  setTimer(timer: PendingTimer): void {
    this.timers = [...this.timers, timer]
  }

  /** Removes a timer that has fired or was cleared. */
  clearTimer(timer: PendingTimer): void {
    this.timers = this.timers.filter((one) => one !== timer)
  }
}

/** The activity of an exchange, allocated if it has none. */
export const activityOf = <X extends { activity: ExchangeActivity<X> | undefined }>(
  x: X,
): ExchangeActivity<X> => (x.activity ??= new ExchangeActivity())
