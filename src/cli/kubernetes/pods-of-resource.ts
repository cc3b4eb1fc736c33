import type { V1LabelSelector, V1Pod } from '@kubernetes/client-node'
import { clusterFailure, isApiStatus } from './cluster-failure.ts'
import { onlyGateway, podsOfGateway } from './gateway-pods.ts'
import { labelSelectorText } from './label-selector.ts'
import type { Cluster } from './load-cluster.ts'
import { podsWithLabels } from './pods-with-labels.ts'
import { parseResourceReference, type ResourceReference } from './resource-reference.ts'
import { CommandFailure, usageFailure } from '../command-failure.ts'

/** The pods of a resource; without a resource those of the only Gateway there is. */
export const podsOfResource = async (
  cluster: Cluster,
  resource: string | undefined,
): Promise<readonly V1Pod[]> => {
  const text = resource ?? `gateway/${await onlyGateway(cluster)}`
  const reference = parseResourceReference(text)
  const type = reference && Object.hasOwn(types, reference.type) ? types[reference.type] : undefined
  if (!reference || !type)
    throw usageFailure(
      `"${text}" does not refer to a supported pod resource`,
      'Resources are [type/]name[.namespace], of the types pod, gateway, service, deployment, replicaset, statefulset and daemonset.',
    )
  const namespace = reference.namespace ?? cluster.namespace
  const pods = await type(cluster, reference, namespace)
  if (pods.length === 0)
    throw new CommandFailure(`no pods found for resource "${text}"`, {
      hint: reference.hasNoType
        ? `A name without a type is that of a pod: gateway/${reference.name} is the Gateway. -n chooses another namespace than ${namespace}.`
        : `kubectl get pods -n ${namespace} lists the pods of the namespace; -n chooses another.`,
    })
  return pods
}

type PodsOf = (cluster: Cluster, reference: ResourceReference, namespace: string) => Promise<readonly V1Pod[]>

const podOfName: PodsOf = async ({ client, config }, { name, text }, namespace) => {
  try {
    return [await config.makeApiClient(client.CoreV1Api).readNamespacedPod({ name, namespace })]
  } catch (error) {
    if (isApiStatus(error, 404)) return []
    throw clusterFailure(`failed retrieving ${text} in namespace "${namespace}"`, error)
  }
}

/** Pods of an object that has a selector. */
const podsOfSelector =
  (
    read: (cluster: Cluster, name: string, namespace: string) => Promise<V1LabelSelector | undefined>,
  ): PodsOf =>
  async (cluster, { name, text }, namespace) => {
    let selector: V1LabelSelector | undefined
    try {
      selector = await read(cluster, name, namespace)
    } catch (error) {
      throw clusterFailure(`failed retrieving ${text} in namespace "${namespace}"`, error)
    }
    if (selector === undefined) throw new CommandFailure('resource has no pod selector')
    const labels = labelSelectorText(selector)
    if (labels === undefined) throw new CommandFailure('empty pod selector')
    return podsWithLabels(cluster, namespace, labels)
  }

const podsOfService = podsOfSelector(async ({ client, config }, name, namespace) => {
  const { spec } = await config.makeApiClient(client.CoreV1Api).readNamespacedService({ name, namespace })
  return spec?.selector && { matchLabels: spec.selector }
})

const podsOfWorkload = (kind: 'Deployment' | 'ReplicaSet' | 'StatefulSet' | 'DaemonSet'): PodsOf =>
  podsOfSelector(async ({ client, config }, name, namespace) => {
    const apps = config.makeApiClient(client.AppsV1Api)
    const { spec } = await apps[`readNamespaced${kind}`]({ name, namespace })
    return spec?.selector
  })

const rows: readonly (readonly [names: string, group: string, podsOf: PodsOf])[] = [
  ['pod pods po', '', podOfName],
  ['gateway gateways gtw', 'gateway.networking.k8s.io', podsOfGateway],
  ['service services svc', '', podsOfService],
  ['deployment deployments deploy', 'apps', podsOfWorkload('Deployment')],
  ['replicaset replicasets rs', 'apps', podsOfWorkload('ReplicaSet')],
  ['statefulset statefulsets sts', 'apps', podsOfWorkload('StatefulSet')],
  ['daemonset daemonsets ds', 'apps', podsOfWorkload('DaemonSet')],
]

/** By each name, and by each with its group: `kubectl get -o name` prints `deployment.apps/web`. */
const types: Readonly<Partial<Record<string, PodsOf>>> = Object.fromEntries(
  rows.flatMap(([names, group, podsOf]) =>
    names.split(' ').flatMap((name) => [
      [name, podsOf],
      [group === '' ? name : `${name}.${group}`, podsOf],
    ]),
  ),
)
