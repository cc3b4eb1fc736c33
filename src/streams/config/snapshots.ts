import {
  catchError,
  debounceTime,
  defer,
  delayWhen,
  EMPTY,
  merge,
  Observable,
  shareReplay,
  switchMap,
} from 'rxjs'

/** The steps from configurations to snapshots, as arguments, so that streams do not depend on configuration code. */
export interface SnapshotSteps<Loaded, Compiled> {
  /** The configuration that the process starts with. */
  readonly first: Loaded
  /** Emits when the configuration may have changed. */
  readonly changes$: Observable<unknown>
  /** Reads, validates and normalises; rejects with the problems found. */
  readonly load: () => Promise<Loaded>
  /** Compiles it into a snapshot; rejects if it cannot, or if the signal ends it. */
  readonly compile: (loaded: Loaded, signal: AbortSignal) => Promise<Compiled>
  /** A configuration was refused: the last good one stays in force. */
  readonly refused: (problem: unknown) => void
}

/**
 * Snapshots as the configuration changes. If the first cannot be compiled the stream fails, since there is nothing to
 * keep; every later failure is passed to `refused` and skipped.
 *
 * A burst of changes is one reload, and a newer change supersedes one that is being loaded or compiled. The first
 * configuration is not superseded: a change while it is compiled is loaded after it.
 */
export const snapshots = <Loaded, Compiled>(steps: SnapshotSteps<Loaded, Compiled>): Observable<Compiled> => {
  const first$ = compiled(steps, steps.first).pipe(shareReplay({ bufferSize: 1, refCount: true }))
  const reload$ = steps.changes$.pipe(
    debounceTime(100), // an editor writes in several steps
    delayWhen(() => first$),
    switchMap(() =>
      defer(steps.load).pipe(
        switchMap((loaded) => compiled(steps, loaded)),
        catchError((problem: unknown) => {
          steps.refused(problem)
          return EMPTY
        }),
      ),
    ),
  )
  return merge(first$, reload$)
}

/** Unsubscribing ends compiling. */
const compiled = <Loaded, Compiled>(
  { compile }: SnapshotSteps<Loaded, Compiled>,
  loaded: Loaded,
): Observable<Compiled> =>
  new Observable((subscriber) => {
    const superseded = new AbortController()
    compile(loaded, superseded.signal).then(
      (snapshot) => {
        subscriber.next(snapshot)
        subscriber.complete()
      },
      (problem: unknown) => {
        subscriber.error(problem)
      },
    )
    return () => {
      superseded.abort()
    }
  })
