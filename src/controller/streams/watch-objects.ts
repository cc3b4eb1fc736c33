import { concat, defer, EMPTY, map, type Observable, tap } from 'rxjs'
import type { WatchEvent } from '../api/api-client.ts'
import { ApiFailure } from '../api/api-failure.ts'
import type { Kind } from '../kinds/kinds.ts'
import { collectionRequest, type Observation, type ReflectorOptions } from './reflector-source.ts'
import { readWatchedObject, resourceVersionOf } from './watched-object.ts'

/**
 * Watches the objects of a kind from a position in their history. Completes when the server ends the watch, as it does
 * every few minutes; fails if it does so at once, so that the next attempt waits.
 */
export const watchObjects = <K extends Kind>(
  kind: K,
  position: string,
  { client, silenceMs = SILENCE_MS }: ReflectorOptions,
): Observable<Observation<K>> =>
  defer(() => {
    const { query, ...request } = collectionRequest(kind, 'watch')
    const startedAt = performance.now()
    let events = 0
    const events$ = client.watch(
      {
        ...request,
        query: {
          ...query,
          resourceVersion: position,
          allowWatchBookmarks: true,
          // Jittered, so that watches that began together do not end together.
          timeoutSeconds: Math.round(300 + 300 * Math.random()),
        },
      },
      silenceMs,
    )
    const endedAtOnce$ = defer(() => {
      if (events > 0 || performance.now() - startedAt >= SHORT_MS) return EMPTY
      throw new ApiFailure(0, 'WatchEnded', 'the API server ended a watch at once')
    })
    return concat(
      events$.pipe(
        tap(() => (events += 1)),
        map((event) => observationOf(kind, event)),
      ),
      endedAtOnce$,
    )
  })

const observationOf = <K extends Kind>(kind: K, { type, object }: WatchEvent): Observation<K> => {
  const position = resourceVersionOf(object)
  if (type === 'BOOKMARK') return { type: 'bookmark', position }
  return {
    type: type === 'DELETED' ? 'removed' : 'changed',
    object: readWatchedObject(kind, object),
    position,
  }
}

const SILENCE_MS = 180_000
const SHORT_MS = 1_000
