import {
  concat,
  defer,
  distinctUntilChanged,
  endWith,
  map,
  merge,
  type Observable,
  of,
  repeat,
  startWith,
  switchMap,
  takeUntil,
  timer,
} from 'rxjs'
import { Election, type LeadershipOptions } from './election.ts'

/**
 * Whether this replica is the leader: emits at once, and at every change. Completes after `stop$`, when the lease is
 * released; unsubscribing ends it as a crash does.
 *
 * @example
 * leadership({ client, namespace, name: 'agentgateway-agentgateway', identity: randomUUID(), stop$, log })
 */
export const leadership = (options: LeadershipOptions): Observable<boolean> =>
  defer(() => {
    const election = new Election(options)
    const attempts$ = defer(() => election.attempt()).pipe(
      // Timers leave out a fraction: a lease would be read again just before it expires.
      repeat({ delay: () => timer(Math.ceil(election.nextAttemptMs())) }),
    )
    const isLeader$ = attempts$.pipe(
      switchMap(leaderUntil), // ends in time even if the next attempt is still under way
      startWith(false),
      takeUntil(options.stop$),
      endWith(false), // before the lease is released: then another replica may be the leader
      distinctUntilChanged(),
    )
    return concat(isLeader$, election.release())
  })

/** @param deadline `performance.now()` of the end of the leadership; undefined if this replica is not the leader. */
const leaderUntil = (deadline: number | undefined): Observable<boolean> => {
  const leftMs = (deadline ?? 0) - performance.now()
  return deadline === undefined || leftMs <= 0
    ? of(false)
    : merge(of(true), timer(leftMs).pipe(map(() => false)))
}
