import { lastValueFrom } from 'rxjs'
import { ApiClient } from '../../../../src/controller/api/api-client.ts'
import { loadClusterAccess } from '../../../../src/controller/api/cluster-access.ts'
import { collectionPath, objectPath } from '../../../../src/controller/api/resource-path.ts'
import type { KubernetesObject } from '../../../../src/controller/kinds/object.ts'

/** An object with whatever it has. */
export type AnyObject = KubernetesObject & Readonly<Record<string, unknown>>

/** Objects of a real API server. */
export interface ClusterObjects extends AsyncDisposable {
  create(object: AnyObject): Promise<void>
  /** Merges a part into an object. */
  patch(object: AnyObject, part: object): Promise<void>
  read(object: AnyObject): Promise<AnyObject>
  delete(object: AnyObject): Promise<void>
}

/** Opens a client that reads and writes objects. */
export const openClusterObjects = async (kubeconfig: string): Promise<ClusterObjects> => {
  const client = new ApiClient(await loadClusterAccess(kubeconfig))
  const send = (request: Parameters<ApiClient['request']>[0]) =>
    lastValueFrom(client.request(request)) as Promise<AnyObject>
  return {
    create: async (object) => {
      const path = collectionPath(resourceOf(object), object.metadata.namespace)
      await send({ method: 'POST', path, body: object })
    },
    patch: async (object, part) => {
      const contentType = 'application/merge-patch+json'
      await send({ method: 'PATCH', path: pathOf(object), contentType, body: part })
    },
    read: (object) => send({ method: 'GET', path: pathOf(object) }),
    delete: async (object) => {
      await send({ method: 'DELETE', path: pathOf(object) })
    },
    [Symbol.asyncDispose]: () => client.close(),
  }
}

const resourceOf = ({ apiVersion, kind }: AnyObject) => {
  const [version = '', group = ''] = apiVersion.split('/').reverse()
  return { group, version, plural: PLURALS[kind] ?? `${kind.toLowerCase()}s` }
}

const PLURALS: Readonly<Record<string, string>> = {
  BackendTLSPolicy: 'backendtlspolicies',
  GatewayClass: 'gatewayclasses',
  ProxyPolicy: 'proxypolicies',
}

const pathOf = (object: AnyObject): string => objectPath(resourceOf(object), object.metadata)
