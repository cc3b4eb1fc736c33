import { catchError, concat, debounceTime, defer, EMPTY, from, map, type Observable, switchMap } from 'rxjs'

/** How configurations become snapshots; the steps are arguments because streams do not know each other. */
export interface SnapshotSteps<Loaded, Compiled> {
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
 * Snapshots as the configuration changes. The first failure is an error of the stream, for there is nothing to keep;
 * every later one is told to `refused` and skipped.
 *
 * A burst of changes is one reload, and a newer change overtakes a load under way.
 */
export const snapshots = <Loaded, Compiled>(steps: SnapshotSteps<Loaded, Compiled>): Observable<Compiled> => {
  const attempt$ = defer(() => from(steps.load())).pipe(map(steps.compile))
  const reload$ = steps.changes$.pipe(
    debounceTime(100), // an editor writes in several steps
    switchMap(() =>
      attempt$.pipe(
        catchError((problem: unknown) => {
          steps.refused(problem)
          return EMPTY
        }),
      ),
    ),
  )
  return concat(attempt$, reload$)
}
