import type { V1Pod } from '@kubernetes/client-node'
import { clusterFailure, receivedList } from './cluster-failure.ts'
import type { Cluster } from './load-cluster.ts'

/** The pods with labels. Those that have ended, such as evicted ones, are left out where there are others. */
export const podsWithLabels = async (
  { client, config }: Cluster,
  namespace: string,
  labelSelector: string,
): Promise<readonly V1Pod[]> => {
  try {
    const list = await config.makeApiClient(client.CoreV1Api).listNamespacedPod({ namespace, labelSelector })
    const items = receivedList(list.items)
    const alive = items.filter(({ status }) => status?.phase !== 'Failed' && status?.phase !== 'Succeeded')
    return alive.length > 0 ? alive : items
  } catch (error) {
    throw clusterFailure(`failed listing pods in namespace "${namespace}"`, error)
  }
}
