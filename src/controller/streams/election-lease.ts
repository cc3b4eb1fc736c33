import { catchError, map, type Observable, of, throwError } from 'rxjs'
import type { ApiClient } from '../api/api-client.ts'
import { asApiFailure } from '../api/api-failure.ts'
import { ifNotFound } from '../api/if-not-found.ts'
import { collectionPath, objectPath } from '../api/resource-path.ts'

/** `coordination.k8s.io/v1.Lease`, as far as an election needs it. */
export interface ElectionLease {
  readonly metadata: {
    readonly name: string
    readonly namespace: string
    readonly resourceVersion?: string
    readonly [field: string]: unknown
  }
  readonly spec?: LeaseSpec
}

/** The holder of a lease, since when, and for how long. Times are those of the clock of the replica that wrote them. */
export interface LeaseSpec {
  readonly holderIdentity?: string
  readonly leaseDurationSeconds?: number
  readonly acquireTime?: string
  readonly renewTime?: string
  readonly leaseTransitions?: number
}

const leases = { group: 'coordination.k8s.io', version: 'v1', plural: 'leases' }

/** Reads a lease; undefined if there is none. */
export const readLease = (
  client: ApiClient,
  where: { readonly namespace: string; readonly name: string },
  timeoutMs: number,
): Observable<ElectionLease | undefined> =>
  client.request({ method: 'GET', path: objectPath(leases, where), timeoutMs }).pipe(
    map((body) => body as ElectionLease),
    ifNotFound(undefined),
  )

/**
 * Writes a lease; undefined if another client did so first: its `resourceVersion` must be the one that was read, and a
 * lease without one must not exist yet.
 */
export const writeLease = (
  client: ApiClient,
  lease: ElectionLease,
  timeoutMs: number,
): Observable<ElectionLease | undefined> => {
  const isNew = lease.metadata.resourceVersion === undefined
  const { namespace } = lease.metadata
  const body = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', ...lease }
  return client
    .request({
      method: isNew ? 'POST' : 'PUT',
      path: isNew ? collectionPath(leases, namespace) : objectPath(leases, lease.metadata),
      body,
      timeoutMs,
    })
    .pipe(
      map((written) => written as ElectionLease),
      catchError((error: unknown) =>
        asApiFailure(error).isConflict ? of(undefined) : throwError(() => error),
      ),
    )
}

/** `meta/v1.MicroTime` has six digits of a second. */
export const microTime = (date: Date): string => date.toISOString().replace('Z', '000Z')
