import {
  catchError,
  concat,
  concatMap,
  debounceTime,
  defer,
  EMPTY,
  map,
  merge,
  NEVER,
  type Observable,
  of,
  switchMap,
} from 'rxjs'

/** The steps from configurations to snapshots, as arguments, so that streams do not depend on configuration code. */
export interface SnapshotSteps<Loaded, Compiled> {
  /** The configuration that the process starts with. */
  readonly first: Loaded
  /** Emits when the configuration may have changed. */
  readonly changes$: Observable<unknown>
  /** Configurations that changed without being read again, as by a control plane. */
  readonly updates$?: Observable<Loaded>
  /** Reads, validates and normalises; rejects with the problems found. */
  readonly load: () => Promise<Loaded>
  /** Compiles it into a snapshot; throws if it cannot. */
  readonly compile: (loaded: Loaded) => Compiled
  /** A configuration was refused: the last good one stays in force. */
  readonly refused: (problem: unknown) => void
}

/**
 * Snapshots as the configuration changes. If the first cannot be compiled the stream fails, since there is nothing to
 * keep; every later failure is passed to `refused` and skipped.
 *
 * A burst of changes is one reload, and a newer change supersedes a load under way.
 */
export const snapshots = <Loaded, Compiled>(steps: SnapshotSteps<Loaded, Compiled>): Observable<Compiled> => {
  const first$ = defer(() => of(steps.compile(steps.first)))
  const orRefused = catchError<Compiled, Observable<never>>((problem: unknown) => {
    steps.refused(problem)
    return EMPTY
  })
  const reload$ = steps.changes$.pipe(
    debounceTime(100), // an editor writes in several steps
    switchMap(() => defer(steps.load).pipe(map(steps.compile), orRefused)),
  )
  const update$ = (steps.updates$ ?? NEVER).pipe(
    concatMap((loaded) => defer(() => of(steps.compile(loaded))).pipe(orRefused)),
  )
  return concat(first$, merge(reload$, update$))
}
