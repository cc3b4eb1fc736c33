import { fromEvent, map, merge, type Observable } from 'rxjs'

/** The signals that ask the process to end, each time one comes. As long as it is subscribed they do not end it themselves. */
export const signals = (
  names: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGINT'],
): Observable<NodeJS.Signals> => merge(...names.map((name) => fromEvent(process, name).pipe(map(() => name))))
