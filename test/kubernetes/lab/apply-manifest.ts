import type { KubernetesObject } from '@kubernetes/client-node'
import { lastValueFrom } from 'rxjs'
import { parseAllDocuments } from 'yaml'
import { ApiClient } from '../../../src/controller/api/api-client.ts'
import { asApiFailure } from '../../../src/controller/api/api-failure.ts'
import { loadClusterAccess } from '../../../src/controller/api/cluster-access.ts'

/** The objects of a YAML text with several documents. */
export const parseManifest = (text: string): readonly KubernetesObject[] =>
  parseAllDocuments(text)
    .map((document) => document.toJS() as KubernetesObject | null)
    .filter((object) => object !== null)

/**
 * Applies objects on the server's side, one after the other, and returns what the server has now.
 *
 * @param query More parameters of the requests, such as `dryRun`.
 */
export const applyObjects = async (
  kubeconfig: string,
  objects: readonly KubernetesObject[],
  query: Readonly<Record<string, string>> = {},
): Promise<readonly KubernetesObject[]> => {
  await using api = await openApi(kubeconfig)
  const applied: KubernetesObject[] = []
  for (const object of objects)
    // As JSON: the library's own types do not have all fields of a CRD, and would drop the others.
    applied.push(
      await api.send({
        method: 'PATCH',
        path: await api.pathOf(object),
        query: { fieldManager: 'lab', force: true, ...query },
        contentType: 'application/apply-patch+yaml',
        body: object,
      }),
    )
  return applied
}

/** Reads an object; undefined if there is none. */
export const readObject = async (
  kubeconfig: string,
  object: KubernetesObject,
): Promise<KubernetesObject | undefined> => {
  await using api = await openApi(kubeconfig)
  try {
    return await api.send({ method: 'GET', path: await api.pathOf(object) })
  } catch (error) {
    if (asApiFailure(error).isNotFound) return undefined
    throw error
  }
}

const openApi = async (kubeconfig: string) => {
  const client = new ApiClient(await loadClusterAccess(kubeconfig))
  const send = async (request: Parameters<ApiClient['request']>[0]) =>
    (await lastValueFrom(client.request(request))) as KubernetesObject
  return {
    send,
    /** The path of an object, by what the server says of its kind. */
    pathOf: async ({ apiVersion = 'v1', kind, metadata }: KubernetesObject): Promise<string> => {
      const root = apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion}`
      const { resources } = (await lastValueFrom(
        client.request({ method: 'GET', path: root }),
      )) as ResourceList
      const resource = resources.find((one) => one.kind === kind && !one.name.includes('/'))
      if (!resource) throw new Error(`the API server has no ${String(kind)} in ${apiVersion}`)
      const namespace = resource.namespaced ? `/namespaces/${metadata?.namespace ?? 'default'}` : ''
      return `${root}${namespace}/${resource.name}/${metadata?.name ?? ''}`
    },
    [Symbol.asyncDispose]: () => client.close(),
  }
}

interface ResourceList {
  readonly resources: readonly {
    readonly name: string
    readonly kind: string
    readonly namespaced: boolean
  }[]
}
