import { defer, Observable, type ObservableInput, type OperatorFunction, type Subscription } from 'rxjs'
import type { TraceEvent } from '../model/trace/trace-event.ts'

/**
 * Handles trace events one after the other, like `concatMap`, with a limit on the events that wait: beyond it events
 * are dropped, and `project` gets a `dropped` event with their number where they are missing, as from the gateway. An
 * error of `project`, thrown or emitted, is an error of the result.
 *
 * @param limit The number of events that wait. Default 1,000.
 * @example
 * traceEvents(url, { follow: true }).pipe(concatMapBounded((event) => database.insert(event)))
 */
export const concatMapBounded =
  <R>(project: (event: TraceEvent) => ObservableInput<R>, limit = 1000): OperatorFunction<TraceEvent, R> =>
  (source) =>
    new Observable((subscriber) => {
      const pending = new PendingEvents(limit)
      let isBusy = false
      let isLooping = false
      let isSourceDone = false
      let current: Subscription | undefined
      subscriber.add(() => current?.unsubscribe())
      const handlePending = () => {
        // Projects that complete at once come back here: one loop instead of a deep recursion.
        if (isLooping) return
        isLooping = true
        while (!isBusy && !subscriber.closed && !pending.isEmpty) handle(pending.take())
        isLooping = false
        if (isSourceDone && !isBusy && pending.isEmpty) subscriber.complete()
      }
      const handle = (event: TraceEvent) => {
        isBusy = true
        current = defer(() => project(event)).subscribe({
          next: (value) => subscriber.next(value),
          error: (error: unknown) => subscriber.error(error),
          complete: () => {
            isBusy = false
            handlePending()
          },
        })
      }
      subscriber.add(
        source.subscribe({
          next: (event) => {
            pending.add(event)
            handlePending()
          },
          error: (error: unknown) => subscriber.error(error),
          complete: () => {
            isSourceDone = true
            handlePending()
          },
        }),
      )
    })

/** A queue with a limit, which counts what it drops. */
class PendingEvents {
  readonly #limit: number
  readonly #events: TraceEvent[] = []
  #dropped = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  get isEmpty(): boolean {
    return this.#events.length === 0 && this.#dropped === 0
  }

  add(event: TraceEvent): void {
    // Once something is missing, the number takes the next position that is free.
    if (this.#events.length >= this.#limit || this.#dropped > 0)
      this.#dropped += event.message.type === 'dropped' ? event.message.count : 1
    else this.#events.push(event)
  }

  /** The next event: after the last one that was kept, the number of those that were dropped. */
  take(): TraceEvent {
    const event = this.#events.shift()
    if (event) return event
    const count = this.#dropped
    this.#dropped = 0
    return droppedEvent(count)
  }
}

const droppedEvent = (count: number): TraceEvent => ({
  eventStart: null,
  eventEnd: 0,
  severity: 'warn',
  message: { type: 'dropped', count },
  requestId: '',
})
