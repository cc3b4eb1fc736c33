import type { V1Pod } from '@kubernetes/client-node'
import { type Cluster, type ClusterOptions, loadCluster } from './load-cluster.ts'
import { podsOfResource, podsWithLabels } from './pods-of-resource.ts'
import { forwardPodPort, portForwardFailure } from './port-forward.ts'
import { CommandFailure } from '../command-failure.ts'
import type { AdminAccess } from '../gateway/admin-access.ts'
import { AdminClient } from '../gateway/admin-client.ts'
import type { GatewayTarget, ReachablePort } from '../gateway/gateway-target.ts'

/** The gateways in the pods of a resource: running ones first, and by name. */
export const podTargets = async (
  options: ClusterOptions,
  resource: string | undefined,
  access: AdminAccess,
  port: number,
): Promise<readonly GatewayTarget[]> => {
  const cluster = await loadCluster(options)
  const pods = await podsOfResource(cluster, resource)
  return runningFirst(pods).map((pod) => podTarget(cluster, pod, access, port))
}

/** The namespace of the controller. */
export const controllerNamespace = 'agentgateway-system'
const controllerLabel = 'agentgateway=agentgateway'

/** The pods of the controller. */
export const controllerTargets = async (
  options: ClusterOptions,
  port: number,
): Promise<readonly GatewayTarget[]> => {
  const cluster = await loadCluster(options)
  const namespace = options.namespace ?? controllerNamespace
  const pods = await podsWithLabels(cluster, namespace, controllerLabel)
  if (pods.length === 0)
    throw new CommandFailure(
      `no controller pods found in namespace "${namespace}" (label ${controllerLabel})`,
      {
        hint: '-n is the namespace that the controller is installed in.',
      },
    )
  const access: AdminAccess = { url: new URL('http://127.0.0.1') }
  return runningFirst(pods).map((pod) => podTarget(cluster, pod, access, port))
}

/** A pod that is starting or was evicted must not hide one that works. */
const runningFirst = (pods: readonly V1Pod[]): readonly V1Pod[] => [
  ...pods.filter(({ status }) => status?.phase === 'Running'),
  ...pods.filter(({ status }) => status?.phase !== 'Running'),
]

const podTarget = (cluster: Cluster, pod: V1Pod, access: AdminAccess, adminPort: number): GatewayTarget => {
  const { name: podName = '', namespace = cluster.namespace } = pod.metadata ?? {}
  const name = `${podName}.${namespace}`
  const what = `failed to execute command on ${name}`
  const reach = (port: number): Promise<ReachablePort> => {
    const phase = pod.status?.phase ?? 'Unknown'
    if (phase !== 'Running') throw new CommandFailure(`${what}: pod is not running. Status=${phase}`)
    return forwardPodPort(cluster, { namespace, pod: podName, port })
  }
  return {
    name,
    isPod: true,
    reach,
    withAdmin: async (use) => {
      const reached = await reach(adminPort)
      const url = new URL(access.url)
      url.port = String(reached.port)
      try {
        return await use(new AdminClient({ ...access, url }))
      } catch (error) {
        const reason = reached.failure?.()
        if (reason !== undefined) throw portForwardFailure(what, reason, error)
        throw error
      } finally {
        reached.close()
      }
    },
  }
}
