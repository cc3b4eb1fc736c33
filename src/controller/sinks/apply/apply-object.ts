import { catchError, concatMap, map, type Observable, of, throwError } from 'rxjs'
import type { KubernetesObject } from '../../kinds/object.ts'
import type { ApiClient } from '../../api/api-client.ts'
import { ApiFailure, asApiFailure } from '../../api/api-failure.ts'
import { ifNotFound } from '../../api/if-not-found.ts'
import { objectPath } from '../../api/resource-path.ts'
import type { RewriteLimit } from '../rewrite-limit.ts'
import { appliedResource } from './applied-resources.ts'
import { hasFields } from './has-fields.ts'
import { type ManagedFieldsEntry, ownsMoreThan } from './owned-fields.ts'
import { ownershipProblem } from './ownership.ts'

/** Who applies. */
export interface FieldManager {
  readonly client: ApiClient
  /** The name of the controller. */
  readonly fieldManager: string
  /** Ends quarrels with others. */
  readonly rewrites?: RewriteLimit<KubernetesObject>
}

/**
 * Applies an object on the server's side, unless the live one has all of it already and nothing of ours besides. Emits
 * whether it was applied.
 *
 * An object that is not ours is not taken over: the right to create a Gateway would otherwise be the right to change every
 * object with the name of one of its parts. That holds for an object that is created between reading and applying, too:
 * what is applied names the version that was read.
 */
export const applyObject = (object: KubernetesObject, manager: FieldManager): Observable<boolean> => {
  const resource = appliedResource(object)
  if (!resource)
    return throwError(
      () => new ApiFailure(0, 'UnknownKind', `${object.kind} ${object.metadata.name} is of an unknown kind`),
    )
  return applyTo(objectPath(resource, object.metadata), object, manager, CONFLICTS)
}

const applyTo = (
  path: string,
  object: KubernetesObject,
  manager: FieldManager,
  attempts: number,
): Observable<boolean> => {
  const { client, fieldManager } = manager
  return readOrUndefined(client, path).pipe(
    concatMap((live) => {
      const problem = live && ownershipProblem(live, object)
      if (problem !== undefined) return throwError(() => new ApiFailure(409, 'NotControlled', problem))
      if (live && isApplied(live, object, fieldManager)) return of(false)
      const refusal = manager.rewrites?.admit(object)
      if (refusal) return throwError(() => refusal)
      return client
        .request({
          method: 'PATCH',
          path,
          query: { fieldManager, force: true },
          contentType: 'application/apply-patch+yaml',
          body: { ...object, metadata: { ...object.metadata, ...versionOf(live) } },
        })
        .pipe(
          map((applied) => {
            const isSame = live !== undefined && isSameVersion(applied as Partial<KubernetesObject>, live)
            // The server writes some values in another way, quantities for one: no client has changed them.
            if (isSame) manager.rewrites?.refund(object)
            return !isSame
          }),
          // Another client created or changed it meanwhile: whether it is ours is checked again.
          catchError((error: unknown) =>
            asApiFailure(error).isConflict && attempts > 1
              ? applyTo(path, object, manager, attempts - 1)
              : throwError(() => error),
          ),
        )
    }),
  )
}

type LiveObject = KubernetesObject & {
  readonly metadata: { readonly managedFields?: readonly ManagedFieldsEntry[] }
}

const readOrUndefined = (client: ApiClient, path: string): Observable<LiveObject | undefined> =>
  client.request({ method: 'GET', path }).pipe(
    map((body) => body as LiveObject),
    ifNotFound(undefined),
  )

/**
 * What makes the API server refuse if the object is another one by now. Without a `uid`, an object that was deleted would
 * be created again; where there was none, a version that no object has makes sure that there is none still.
 */
const versionOf = (live: LiveObject | undefined): Partial<KubernetesObject['metadata']> => {
  if (!live) return { resourceVersion: NO_OBJECT }
  const { uid, resourceVersion } = live.metadata
  return { ...(uid !== undefined && { uid }), ...(resourceVersion !== undefined && { resourceVersion }) }
}

const isSameVersion = ({ metadata }: Partial<KubernetesObject>, live: LiveObject): boolean =>
  metadata?.resourceVersion !== undefined && metadata.resourceVersion === live.metadata.resourceVersion

const isApplied = (live: LiveObject, wanted: KubernetesObject, fieldManager: string): boolean =>
  hasFields(live, wanted) && !ownsMoreThan(live.metadata.managedFields ?? [], fieldManager, wanted)

/** The version of the store before its first write. */
const NO_OBJECT = '1'
const CONFLICTS = 5
