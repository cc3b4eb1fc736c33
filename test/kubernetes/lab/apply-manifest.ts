import {
  ApiException,
  KubeConfig,
  KubernetesObjectApi,
  PatchStrategy,
  type KubernetesObject,
} from '@kubernetes/client-node'
import { parseAllDocuments } from 'yaml'

/** The objects of a YAML text with several documents. */
export const parseManifest = (text: string): readonly KubernetesObject[] =>
  parseAllDocuments(text)
    .map((document) => document.toJS() as KubernetesObject | null)
    .filter((object) => object !== null)

/** Applies objects on the server's side, one after the other, and gives back what the server has now. */
export const applyObjects = async (
  kubeconfig: string,
  objects: readonly KubernetesObject[],
): Promise<readonly KubernetesObject[]> => {
  const config = new KubeConfig()
  config.loadFromFile(kubeconfig)
  const api = KubernetesObjectApi.makeApiClient(config)
  const applied: KubernetesObject[] = []
  for (const object of objects)
    applied.push(await api.patch(object, undefined, undefined, 'lab', true, PatchStrategy.ServerSideApply))
  return applied
}

/** Reads an object, or gives undefined if there is none. */
export const readObject = async (
  kubeconfig: string,
  { apiVersion, kind, metadata }: KubernetesObject,
): Promise<KubernetesObject | undefined> => {
  const config = new KubeConfig()
  config.loadFromFile(kubeconfig)
  const header = {
    apiVersion,
    kind,
    metadata: { name: metadata?.name ?? '', namespace: metadata?.namespace ?? '' },
  }
  try {
    return await KubernetesObjectApi.makeApiClient(config).read(
      header as Parameters<KubernetesObjectApi['read']>[0],
    )
  } catch (error) {
    if (error instanceof ApiException && error.code === 404) return undefined
    throw error
  }
}
