import { type Stats, unwatchFile, watchFile } from 'node:fs'
import { Observable, type Subscription } from 'rxjs'
import { beginWork } from '../../model/introspection/active-work.ts'

/**
 * Emits whenever one of the files has changed: written in place, replaced by a rename as editors do, or swapped behind
 * a symbolic link as Kubernetes does with ConfigMaps. A file that is missing for a moment is no change.
 *
 * Polls the files: file system notifications report none of the three reliably.
 *
 * @param everyMs Polling interval.
 */
export const fileChanges = (files: readonly string[], everyMs = 200): Observable<string> =>
  new Observable((out) => {
    const watched = files.map((file) => {
      const changed = (now: Stats, before: Stats) => {
        if (now.ino !== 0 && identity(now) !== identity(before)) out.next(file)
      }
      watchFile(file, { interval: everyMs, persistent: false }, changed)
      return { file, changed, end: beginWork('watched file', file) }
    })
    return () => {
      for (const { file, changed, end } of watched) {
        unwatchFile(file, changed)
        end()
      }
    }
  })

/** Emits whenever one of the files listed last has changed. */
export const changesOfListed = (
  lists$: Observable<readonly string[]>,
  everyMs?: number,
): Observable<string> =>
  new Observable((out) => {
    const watched = new Map<string, Subscription>()
    const keepOnly = (files: readonly string[]) => {
      for (const [file, watching] of watched) {
        if (files.includes(file)) continue
        watching.unsubscribe()
        watched.delete(file)
      }
    }
    const lists = lists$.subscribe((files) => {
      keepOnly(files)
      // A file that stays keeps its watcher: a new one would miss a change made at this moment.
      for (const file of files)
        if (!watched.has(file))
          watched.set(
            file,
            fileChanges([file], everyMs).subscribe((changed) => out.next(changed)),
          )
    })
    return () => {
      lists.unsubscribe()
      keepOnly([])
    }
  })

const identity = ({ dev, ino, size, mtimeMs, ctimeMs }: Stats): string =>
  [dev, ino, size, mtimeMs, ctimeMs].join()
