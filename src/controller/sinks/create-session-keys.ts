import { randomBytes } from 'node:crypto'
import {
  catchError,
  groupBy,
  ignoreElements,
  mergeMap,
  of,
  type OperatorFunction,
  exhaustMap,
  tap,
} from 'rxjs'
import type { ModuleLog } from '../../model/log/module-log.ts'
import type { ApiClient } from '../api/api-client.ts'
import { asApiFailure } from '../api/api-failure.ts'
import { collectionPath } from '../api/resource-path.ts'
import { type KubernetesObject, objectKey } from '../kinds/object.ts'

const secrets = { group: '', version: 'v1', plural: 'secrets' }
const KEY_BYTES = 32

/**
 * Creates Secrets with new session keys. One that exists is left as it is: cookies and sessions that were sealed with its
 * key stay valid. The Secret comes back as an object of the cluster; nothing is emitted.
 */
export const createSessionKeys =
  (client: ApiClient, log: ModuleLog): OperatorFunction<KubernetesObject, never> =>
  (secrets$) =>
    secrets$.pipe(
      groupBy(objectKey),
      mergeMap((same$) => same$.pipe(exhaustMap((secret) => createSecret(secret, client, log)))),
      ignoreElements(),
    )

const createSecret = (secret: KubernetesObject, client: ApiClient, log: ModuleLog) => {
  const key = randomBytes(KEY_BYTES).toString('hex')
  const body = { ...secret, type: 'Opaque', stringData: { key } }
  const path = collectionPath(secrets, secret.metadata.namespace)
  return client.request({ method: 'POST', path, body }).pipe(
    tap(() => {
      log.info?.('a session key was made', { secret: objectKey(secret) })
    }),
    catchError((error: unknown) => {
      const failure = asApiFailure(error)
      if (!failure.isConflict)
        log.warn?.('a session key cannot be made', { secret: objectKey(secret), error: failure })
      return of(undefined)
    }),
  )
}
