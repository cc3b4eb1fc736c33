import {
  catchError,
  concat,
  concatMap,
  debounceTime,
  defer,
  delayWhen,
  EMPTY,
  filter,
  ignoreElements,
  iif,
  map,
  merge,
  Observable,
  share,
  shareReplay,
  switchMap,
  takeUntil,
  tap,
} from 'rxjs'

/** The steps from configurations to snapshots, as arguments, so that streams do not depend on configuration code. */
export interface SnapshotSteps<Loaded, Compiled> {
  /** The configuration that the process starts with. */
  readonly first: Loaded
  /** Emits when the configuration may have changed. */
  readonly changes$: Observable<unknown>
  /** Reads, validates and normalises; rejects with the problems found. */
  readonly load: () => Promise<Loaded>
  /** What comes beside the files, as from a control plane. */
  readonly updates?: ConfigurationUpdates<Loaded> | undefined
  /** Compiles it into a snapshot; rejects if it cannot, or if the signal ends it. */
  readonly compile: (loaded: Loaded, signal: AbortSignal) => Promise<Compiled>
  /** A configuration was refused: the last good one stays in force. */
  readonly refused: (problem: unknown) => void
}

/** A source of changes that need not be read again. */
export interface ConfigurationUpdates<Loaded> {
  /** Emits when there is something to join. */
  readonly updates$: Observable<unknown>
  /**
   * What files say, joined with all updates so far.
   *
   * @param loaded Files that were read again; absent for those in force.
   */
  readonly join: (loaded?: Loaded) => Loaded
}

/**
 * Snapshots as the configuration changes. If the first cannot be compiled the stream fails, since there is nothing to
 * keep; every later failure is passed to `refused` and skipped.
 *
 * A burst of changes is one reload, and a newer change supersedes one that is being loaded or compiled. The first
 * configuration is not superseded: a change while it is compiled is loaded after it. Updates that come while something
 * is compiled are compiled together, after it, and supersede nothing: they might come faster than they are compiled.
 */
export const snapshots = <Loaded, Compiled>(steps: SnapshotSteps<Loaded, Compiled>): Observable<Compiled> =>
  defer(() => {
    const { changes$, load, updates, refused } = steps
    const orRefused = <T>(source$: Observable<T>): Observable<T> =>
      source$.pipe(
        catchError((problem: unknown) => {
          refused(problem)
          return EMPTY
        }),
      )
    const first$ = compiled(steps, () => steps.first).pipe(shareReplay({ bufferSize: 1, refCount: true }))
    let newest = 0
    const due$ = changes$.pipe(
      debounceTime(100), // an editor writes in several steps
      delayWhen(() => first$),
      tap(() => newest++),
      share(),
    )
    const reload$ = due$.pipe(
      switchMap(() => {
        const number = newest
        const isNewest = () => number === newest
        return defer(load).pipe(
          map((loaded) =>
            iif(
              isNewest,
              compiled(steps, () => updates?.join(loaded) ?? loaded),
              EMPTY,
            ),
          ),
          map((compiling$) => compiling$.pipe(takeUntil(due$))),
          orRefused,
        )
      }),
    )
    return merge(
      first$,
      merge(reload$, updated(steps, first$)).pipe(concatMap((one$) => one$.pipe(orRefused))),
    )
  })

/** Each one compiles all updates that have come before it begins. */
const updated = <Loaded, Compiled>(
  steps: SnapshotSteps<Loaded, Compiled>,
  first$: Observable<Compiled>,
): Observable<Observable<Compiled>> => {
  const { updates } = steps
  if (!updates) return EMPTY
  let isPending = false
  const next$ = compiled(steps, () => {
    isPending = false
    return updates.join()
  })
  return concat(first$.pipe(ignoreElements()), updates.updates$).pipe(
    filter(() => !isPending),
    map(() => {
      isPending = true
      return next$
    }),
  )
}

/** Unsubscribing ends compiling. */
const compiled = <Loaded, Compiled>(
  { compile }: SnapshotSteps<Loaded, Compiled>,
  loaded: () => Loaded,
): Observable<Compiled> =>
  new Observable((subscriber) => {
    const superseded = new AbortController()
    compile(loaded(), superseded.signal).then(
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
