import { filter, fromEvent, map, merge, type Observable, shareReplay } from 'rxjs'

/** Signals within this time of the first count as one. */
const echoMs = 250

/**
 * The signals that ask the process to end, each time one comes. While it is subscribed they do not end the process by
 * themselves.
 *
 * A terminal signals its whole process group, and npm forwards what it gets: one Ctrl-C arrives here twice.
 */
export const signals = (
  names: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGINT'],
): Observable<NodeJS.Signals> => {
  let lastAt = -Infinity
  return merge(...names.map((name) => fromEvent(process, name).pipe(map(() => name)))).pipe(
    filter(() => {
      const now = performance.now()
      if (now - lastAt < echoMs) return false
      lastAt = now
      return true
    }),
  )
}

/** The signals that request a reload of the configuration. Once subscribed, they never end the process. */
export const reloadSignals = (): Observable<NodeJS.Signals> => kept('SIGHUP')

/**
 * The signals that request that log files are opened again: SIGUSR2, and SIGUSR1 as for nginx. Once subscribed, they
 * never end the process, and SIGUSR1 does not open Node's inspector, which would let whoever can connect to it run code.
 */
export const reopenSignals = (): Observable<NodeJS.Signals> => kept('SIGUSR1', 'SIGUSR2')

const kept = (...names: readonly NodeJS.Signals[]): Observable<NodeJS.Signals> => {
  const signals$ = merge(...names.map((name) => fromEvent(process, name).pipe(map(() => name)))).pipe(
    // A signal before the subscription is not lost.
    shareReplay({ bufferSize: 1, refCount: false }),
  )
  signals$.subscribe()
  return signals$
}
