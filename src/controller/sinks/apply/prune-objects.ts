import { catchError, concatMap, count, EMPTY, from, map, type Observable, throwError } from 'rxjs'
import type { ApiClient } from '../../api/api-client.ts'
import { asApiFailure } from '../../api/api-failure.ts'
import { type ApiResource, collectionPath, objectPath } from '../../api/resource-path.ts'
import type { KubernetesObject } from '../../kinds/object.ts'
import { appliedResource } from './applied-resources.ts'
import { controllerOf } from './ownership.ts'

/** Objects of which those that are no longer wanted are deleted. */
export interface PruneScope {
  readonly namespace: string
  /** Such as `gateway.networking.k8s.io/gateway-name=a`. */
  readonly labelSelector: string
  /** The `uid` of the object that controls them. */
  readonly controllerUid: string
  readonly kinds: readonly { readonly apiVersion: string; readonly kind: string }[]
}

/** Deletes the objects of a scope that are not wanted; emits their number. */
export const pruneObjects = (
  scope: PruneScope,
  wanted: readonly KubernetesObject[],
  client: ApiClient,
): Observable<number> => {
  const resources = scope.kinds.flatMap((of) => {
    const resource = appliedResource(of)
    const names = new Set(wanted.filter(({ kind }) => kind === of.kind).map(({ metadata }) => metadata.name))
    return resource ? [{ resource, names }] : []
  })
  return from(resources).pipe(
    concatMap(({ resource, names }) =>
      listControlled(scope, resource, client).pipe(
        concatMap((objects) => objects.filter(({ metadata }) => !names.has(metadata.name))),
        concatMap((object) => deleteObject(resource, object, client)),
      ),
    ),
    count(),
  )
}

const listControlled = (
  { namespace, labelSelector, controllerUid }: PruneScope,
  resource: ApiResource,
  client: ApiClient,
): Observable<readonly KubernetesObject[]> =>
  client.request({ method: 'GET', path: collectionPath(resource, namespace), query: { labelSelector } }).pipe(
    map((body) =>
      ((body as { readonly items?: readonly KubernetesObject[] | null }).items ?? []).filter(
        (object) => controllerOf(object) === controllerUid,
      ),
    ),
    ignoreNotFound, // a kind that is not served has no objects
  )

const deleteObject = (resource: ApiResource, { metadata }: KubernetesObject, client: ApiClient) =>
  client
    .request({
      method: 'DELETE',
      path: objectPath(resource, metadata),
      body: { propagationPolicy: 'Background', preconditions: { uid: metadata.uid } },
    })
    .pipe(ignoreNotFound)

const ignoreNotFound = <T>(source$: Observable<T>): Observable<T> =>
  source$.pipe(
    catchError((error: unknown) => (asApiFailure(error).isNotFound ? EMPTY : throwError(() => error))),
  )
