import { catchError, concat, debounceTime, defer, EMPTY, map, type Observable, of, switchMap } from 'rxjs'

/** How configurations become snapshots; the steps are arguments because streams do not know each other. */
export interface SnapshotSteps<Loaded, Compiled> {
  /** The configuration that the process starts with. */
  readonly first: Loaded
  /** Emits when the configuration may have changed. */
  readonly changes$: Observable<unknown>
  /** Reads, checks and normalises; rejects with the problems found. */
  readonly load: () => Promise<Loaded>
  /** Turns it into something that can serve; throws what it cannot. */
  readonly compile: (loaded: Loaded) => Compiled
  /** A configuration was refused: the last good one stays in force. */
  readonly refused: (problem: unknown) => void
}

/**
 * Snapshots as the configuration changes. A failure to compile the first is an error of the stream, for there is nothing
 * to keep; every later failure is told to `refused` and skipped.
 *
 * A burst of changes is one reload, and a newer change overtakes a load under way.
 */
export const snapshots = <Loaded, Compiled>(steps: SnapshotSteps<Loaded, Compiled>): Observable<Compiled> => {
  const first$ = defer(() => of(steps.compile(steps.first)))
  const reload$ = steps.changes$.pipe(
    debounceTime(100), // an editor writes in several steps
    switchMap(() =>
      defer(steps.load).pipe(
        map(steps.compile),
        catchError((problem: unknown) => {
          steps.refused(problem)
          return EMPTY
        }),
      ),
    ),
  )
  return concat(first$, reload$)
}
