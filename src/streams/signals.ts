import { filter, fromEvent, map, merge, type Observable } from 'rxjs'

/** What comes within this time of the first is the same wish. */
const echoMs = 250

/**
 * The signals that ask the process to end, each time one comes. As long as it is subscribed they do not end it themselves.
 *
 * A terminal tells all of its programs, and npm passes on what it is told: what somebody says once arrives here twice.
 */
export const signals = (
  names: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGINT'],
): Observable<NodeJS.Signals> => {
  let heard = -Infinity
  return merge(...names.map((name) => fromEvent(process, name).pipe(map(() => name)))).pipe(
    filter(() => {
      const now = performance.now()
      if (now - heard < echoMs) return false
      heard = now
      return true
    }),
  )
}
