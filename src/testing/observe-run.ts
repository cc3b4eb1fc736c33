import { Observable } from 'rxjs'
import type { Exchange } from '../model/exchange/exchange.ts'
import type { Operator } from '../pipeline/stage.ts'

/** One exchange in flight through an operator, and all observed events. */
export interface WatchedRun {
  readonly events: ('next' | 'complete' | 'error')[]
  readonly came: Exchange[]
  readonly fault: unknown
  /** Resolves on `complete` or `error`; rejects if neither comes within ten seconds of the first use of this field. */
  readonly ended: Promise<void>
  /** Whether the source of the exchange was unsubscribed. */
  released(): boolean
  unsubscribe(): void
}

/** Behaviour of the source of the exchange. */
export interface SourceBehaviour {
  /** It does not complete after its exchange. */
  readonly open?: boolean
  /** It fails with this fault, and emits nothing. */
  readonly fault?: unknown
}

/** Subscribes an operator to one exchange and records its events. */
export const watchRun = (
  operator: Operator,
  x: Exchange | undefined,
  source: SourceBehaviour = {},
): WatchedRun => {
  let released = false
  const finished = Promise.withResolvers<undefined>()
  const record = {
    events: [] as ('next' | 'complete' | 'error')[],
    came: [] as Exchange[],
    fault: undefined as unknown,
  }

  const source$ = new Observable<Exchange>((out) => {
    if (source.fault !== undefined) out.error(source.fault)
    if (x) out.next(x)
    if (!source.open) out.complete()
    return () => {
      released = true
    }
  })
  const running = operator(source$).subscribe({
    next(came) {
      record.events.push('next')
      record.came.push(came)
    },
    error(fault: unknown) {
      record.events.push('error')
      record.fault = fault
      finished.resolve(undefined)
    },
    complete() {
      record.events.push('complete')
      finished.resolve(undefined)
    },
  })
  let ended: Promise<void> | undefined
  return {
    get events() {
      return record.events
    },
    get came() {
      return record.came
    },
    get fault() {
      return record.fault
    },
    // Only a test that waits for the end starts the timer: runs that stay open on purpose never end.
    get ended() {
      ended ??= withinTenSeconds(finished.promise)
      return ended
    },
    released: () => released,
    unsubscribe: () => {
      running.unsubscribe()
      finished.resolve(undefined)
    },
  }
}

const withinTenSeconds = async (ending: Promise<undefined>): Promise<void> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error('the operator neither completed nor failed within ten seconds'))
    }, 10_000)
  })
  await Promise.race([ending, late]).finally(() => {
    clearTimeout(timer)
  })
}
