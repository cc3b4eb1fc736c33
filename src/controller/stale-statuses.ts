import { concatMap, defer, ignoreElements, merge, type Observable, type OperatorFunction, tap } from 'rxjs'
import { type Kind, kinds } from './kinds/kinds.ts'
import { objectKey } from './kinds/object.ts'
import { namesController } from './sinks/status/names-controller.ts'
import type { StatusUpdate } from './sinks/status/write-statuses.ts'
import type { Change } from './streams/change.ts'
import type { ObjectFeed } from './streams/object-feed.ts'
import type { DesiredState } from './translate/desired-state.ts'

/** What finding stale statuses needs. */
export interface StaleStatusOptions {
  readonly feed: Pick<ObjectFeed, 'objects'>
  readonly changes$: Observable<Change>
  readonly controllerName: string
}

/**
 * An update without a status for each object that has something of ours in its status and should not: what it refers to
 * may have changed while no control plane ran. All objects are looked at with the first state, afterwards those that have
 * changed. An object whose status cannot be computed keeps it.
 */
export const staleStatuses =
  ({ feed, changes$, controllerName }: StaleStatusOptions): OperatorFunction<DesiredState, StatusUpdate> =>
  (states$) =>
    defer(() => {
      const suspects = new Map<string, Omit<StatusUpdate, 'status'>>()
      let isFirst = true
      const suspect = (kind: Kind, object: Parameters<typeof objectKey>[0]) => {
        const key = objectKey(object)
        if (namesController(kind, object, controllerName)) suspects.set(idOf({ kind, key }), { kind, key })
        else suspects.delete(idOf({ kind, key }))
      }
      const stale$ = states$.pipe(
        concatMap(({ statuses, failures }): readonly StatusUpdate[] => {
          if (isFirst)
            for (const kind of Object.keys(kinds) as readonly Kind[])
              for (const object of feed.objects(kind)) suspect(kind, object)
          isFirst = false
          if (suspects.size === 0) return []
          for (const one of [...statuses, ...failures]) suspects.delete(idOf(one))
          const stale = [...suspects.values()].map((one) => ({ ...one, status: undefined }))
          suspects.clear()
          return stale
        }),
      )
      const seen$ = changes$.pipe(
        tap((change) => {
          if (change.type === 'set' && !isFirst) suspect(change.kind, change.object)
        }),
        ignoreElements(),
      )
      return merge(seen$, stale$)
    })

const idOf = ({ kind, key }: Omit<StatusUpdate, 'status'>): string => `${kind}/${key}`
