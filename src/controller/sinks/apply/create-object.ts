import { catchError, concatMap, defer, map, type Observable, of, throwError } from 'rxjs'
import { ApiFailure, asApiFailure } from '../../api/api-failure.ts'
import { collectionPath, objectPath } from '../../api/resource-path.ts'
import type { KubernetesObject } from '../../kinds/object.ts'
import { appliedResource } from './applied-resources.ts'
import type { FieldManager } from './apply-object.ts'
import { controllerOf, ownershipProblem } from './ownership.ts'

/** An object that is created and then never changed. */
export interface CreatedObject extends KubernetesObject {
  /** Of a Secret. */
  readonly type?: string
}

/**
 * Creates an object unless there is one: that is left as it is, whatever it contains, so that several replicas at once
 * make one. Emits whether it was created. Fails if the one that is there belongs to another object or has another type,
 * which is one that the control plane does not see.
 */
export const createObject = (object: CreatedObject, manager: FieldManager): Observable<boolean> => {
  const resource = appliedResource(object)
  const { kind, metadata } = object
  const named = `${kind} ${metadata.name}`
  if (!resource) return throwError(() => new ApiFailure(0, 'UnknownKind', `${named} is of an unknown kind`))
  const { client, fieldManager } = manager
  const path = collectionPath(resource, metadata.namespace)
  const existing$ = defer(() => client.request({ method: 'GET', path: objectPath(resource, metadata) })).pipe(
    concatMap((body) => {
      const live = body as CreatedObject
      const problem =
        controllerOf(live) === undefined
          ? live.type !== object.type && `${named} exists with type ${String(live.type)}`
          : ownershipProblem(live, object)
      return problem ? throwError(() => new ApiFailure(409, 'NotControlled', problem)) : of(false)
    }),
  )
  return client.request({ method: 'POST', path, query: { fieldManager }, body: object }).pipe(
    map(() => true),
    catchError((error: unknown) => (asApiFailure(error).isConflict ? existing$ : throwError(() => error))),
  )
}
