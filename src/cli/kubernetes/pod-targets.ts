import type { V1Pod } from '@kubernetes/client-node'
import { type Cluster, type ClusterOptions, loadCluster } from './load-cluster.ts'
import { podsOfResource } from './pods-of-resource.ts'
import { isPodReady, podProblem, preferredPods } from './pod-state.ts'
import { podsWithLabels } from './pods-with-labels.ts'
import { forwardPodPort } from './port-forward.ts'
import { CommandFailure } from '../command-failure.ts'
import type { AdminAccess } from '../gateway/admin-access.ts'
import { AdminClient } from '../gateway/admin-client.ts'
import type { GatewayTarget, ReachablePort } from '../gateway/gateway-target.ts'

/** Options that choose among the pods of a resource. */
export interface PodOptions extends ClusterOptions {
  readonly pod?: string
}

/** The gateways in the pods of a resource: those that serve first, and of these the newest. */
export const podTargets = async (
  options: PodOptions,
  resource: string | undefined,
  access: AdminAccess,
  port: number,
): Promise<readonly GatewayTarget[]> => {
  const { pod } = options
  const cluster = await loadCluster(options, '--local inspects the gateway of this machine')
  const text = resource ?? (pod === undefined ? undefined : `pod/${pod}`)
  const pods = preferredPods(await podsOfResource(cluster, text))
  return chosenPods(pods, pod, text).map((one) => podTarget(cluster, one, access, port))
}

/** The pod of the option; without one, all. */
const chosenPods = (
  pods: readonly V1Pod[],
  name: string | undefined,
  resource: string | undefined,
): readonly V1Pod[] => {
  if (name === undefined) return pods
  const chosen = pods.filter(({ metadata }) => metadata?.name === name)
  if (chosen.length > 0) return chosen
  throw new CommandFailure(`there is no pod "${name}"${resource === undefined ? '' : ` of ${resource}`}`, {
    hint: `There are ${pods.map(({ metadata }) => metadata?.name ?? '').join(', ')}.`,
  })
}

/** The namespace of the controller. */
export const controllerNamespace = 'agentgateway-system'
/** The label of its pods. */
export const controllerLabel = 'agentgateway=agentgateway'

/** The pods of the controller. */
export const controllerTargets = async (
  options: PodOptions,
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
  return chosenPods(preferredPods(pods), options.pod, 'the controller').map((pod) =>
    podTarget(cluster, pod, access, port),
  )
}

/** The gateway or controller in a pod. */
export const podTarget = (
  cluster: Cluster,
  pod: V1Pod,
  access: AdminAccess,
  adminPort: number,
): GatewayTarget => {
  const { name: podName = '', namespace = cluster.namespace } = pod.metadata ?? {}
  const name = `${podName}.${namespace}`
  const what = `failed to execute command on ${name}`
  const reach = (port: number): Promise<ReachablePort> => {
    const phase = pod.status?.phase ?? 'Unknown'
    if (phase === 'Running') return forwardPodPort(cluster, { namespace, pod: podName, port })
    const hint = podProblem(pod)
    const message = `${what}: pod is not running. Status=${phase}`
    return Promise.reject(new CommandFailure(message, hint === undefined ? {} : { hint }))
  }
  return {
    name,
    pod: { isReady: isPodReady(pod), problem: podProblem(pod) },
    reach,
    withAdmin: async (use) => {
      const reached = await reach(adminPort)
      const url = new URL(access.url)
      url.port = String(reached.port)
      try {
        // The forwarded port is of no interest to anybody.
        const used = use(new AdminClient({ ...access, url }, name))
        return await (reached.gone ? Promise.race([used, reached.gone]) : used)
      } catch (error) {
        const failure = await reached.failure?.(what)
        throw failure ?? error
      } finally {
        reached.close()
      }
    },
  }
}
