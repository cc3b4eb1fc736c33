import { catchError, concatMap, map, type Observable, of, throwError } from 'rxjs'
import type { KubernetesObject } from '../../kinds/object.ts'
import type { ApiClient } from '../../api/api-client.ts'
import { ApiFailure, asApiFailure } from '../../api/api-failure.ts'
import { objectPath } from '../../api/resource-path.ts'
import { appliedResource } from './applied-resources.ts'
import { covers } from './covers.ts'
import { type ManagedFieldsEntry, ownsMoreThan } from './owned-fields.ts'

/** Who applies. */
export interface FieldManager {
  readonly client: ApiClient
  /** The name of the controller. */
  readonly fieldManager: string
}

/**
 * Applies an object on the server's side, unless the live one has all of it already and nothing of ours besides. Emits
 * whether it was applied.
 *
 * An object that another object controls, or none, is not taken over: the right to create a Gateway would otherwise be
 * the right to change every object with the name of one of its parts.
 */
export const applyObject = (object: KubernetesObject, manager: FieldManager): Observable<boolean> => {
  const resource = appliedResource(object)
  const named = `${object.kind} ${object.metadata.name}`
  if (!resource) return throwError(() => new ApiFailure(0, 'UnknownKind', `${named} is of an unknown kind`))
  const path = objectPath(resource, object.metadata)
  const { client, fieldManager } = manager
  return readOrUndefined(client, path).pipe(
    concatMap((live) => {
      if (live && !hasSameController(live, object))
        return throwError(
          () => new ApiFailure(409, 'NotControlled', `${named} exists and is not controlled here`),
        )
      if (live && isApplied(live, object, fieldManager)) return of(false)
      return client
        .request({
          method: 'PATCH',
          path,
          query: { fieldManager, force: true },
          contentType: 'application/apply-patch+yaml',
          body: object,
        })
        .pipe(map(() => true))
    }),
  )
}

type LiveObject = KubernetesObject & {
  readonly metadata: { readonly managedFields?: readonly ManagedFieldsEntry[] }
}

const readOrUndefined = (client: ApiClient, path: string): Observable<LiveObject | undefined> =>
  client.request({ method: 'GET', path }).pipe(
    map((body) => body as LiveObject),
    catchError((error: unknown) =>
      asApiFailure(error).isNotFound ? of(undefined) : throwError(() => error),
    ),
  )

/** The object that controls an object, if any. */
export const controllerOf = ({ metadata }: KubernetesObject): string | undefined =>
  metadata.ownerReferences?.find(({ controller }) => controller === true)?.uid

const hasSameController = (live: KubernetesObject, wanted: KubernetesObject): boolean => {
  const controller = controllerOf(wanted)
  return controller === undefined || controllerOf(live) === controller
}

const isApplied = (live: LiveObject, wanted: KubernetesObject, fieldManager: string): boolean =>
  covers(live, wanted) && !ownsMoreThan(live.metadata.managedFields ?? [], fieldManager, wanted)
