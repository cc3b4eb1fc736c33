import type { Observable } from 'rxjs'
import type { ModuleLog } from '../../model/log/module-log.ts'
import type { ApiClient, ApiRequest } from '../api/api-client.ts'
import type { BackoffLimits } from '../api/backoff.ts'
import { collectionPath } from '../api/resource-path.ts'
import { type Kind, kinds, type Kinds } from '../kinds/kinds.ts'
import type { ReflectorObserver } from './reflector-observer.ts'

/** What a reflector needs. */
export interface ReflectorOptions {
  readonly client: ApiClient
  readonly log: ModuleLog
  readonly observer: ReflectorObserver
  /** Emits when kinds may have been installed or removed: a kind that is absent is tried again at once. */
  readonly definitions$?: Observable<unknown>
  /** Objects a page of a list. */
  readonly pageSize?: number
  /** A watch without an event or a bookmark for so long counts as broken. Bookmarks come every minute. */
  readonly silenceMs?: number
  readonly backoff?: BackoffLimits
}

/** What came from the API server: all objects of a kind, a change of one, or only a newer position in the history. */
export type Observation<K extends Kind> =
  | {
      readonly type: 'listed'
      readonly objects: ReadonlyMap<string, Kinds[K]>
      readonly position: WatchPosition
    }
  | { readonly type: 'changed' | 'removed'; readonly object: Kinds[K]; readonly position: WatchPosition }
  | { readonly type: 'bookmark'; readonly position: WatchPosition }

/** A `resourceVersion` to watch from; undefined if the next step is a list. */
export type WatchPosition = string | undefined

/** The request for the objects of a kind: for a list of them, or for their changes one by one. */
export const collectionRequest = (
  kind: Kind,
  form: 'list' | 'watch',
): Pick<ApiRequest, 'path' | 'query' | 'accept'> => {
  const { fieldSelector, labelSelector, isMetadataOnly } = kinds[kind]
  // The API server ends a watch that accepts the form of lists as well.
  const as = form === 'list' ? 'PartialObjectMetadataList' : 'PartialObjectMetadata'
  return {
    path: collectionPath(kinds[kind]),
    query: { fieldSelector, labelSelector },
    ...(isMetadataOnly ? { accept: `application/json;as=${as};g=meta.k8s.io;v=v1` } : {}),
  }
}
