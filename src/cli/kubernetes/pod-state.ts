import type { V1Pod } from '@kubernetes/client-node'

/** What a pod is called in messages: `name.namespace`. */
export const podName = ({ metadata }: V1Pod, namespace: string): string =>
  `${metadata?.name ?? ''}.${metadata?.namespace ?? namespace}`

/** Whether a pod serves: it is ready, and is not being ended. */
export const isPodReady = ({ metadata, status }: V1Pod): boolean =>
  metadata?.deletionTimestamp === undefined &&
  status?.phase === 'Running' &&
  (status.conditions ?? []).some(({ type, status: value }) => type === 'Ready' && value === 'True')

/** Those that serve first, then those that run; the newest of equals first, and by name. */
export const preferredPods = (pods: readonly V1Pod[]): readonly V1Pod[] =>
  pods.toSorted((a, b) => rank(b) - rank(a) || createdMs(b) - createdMs(a) || compare(nameOf(a), nameOf(b)))

const rank = (pod: V1Pod): number => {
  if (isPodReady(pod)) return 3
  if (pod.status?.phase !== 'Running') return 0
  return pod.metadata?.deletionTimestamp === undefined ? 2 : 1
}

const createdMs = ({ metadata }: V1Pod): number => metadata?.creationTimestamp?.getTime() ?? 0

const nameOf = ({ metadata }: V1Pod): string => metadata?.name ?? ''

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Why a pod does not run or is not ready, as far as its status says. */
export const podProblem = ({ status }: V1Pod): string | undefined => {
  const containers = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])]
  for (const { name, state, lastState } of containers) {
    const { waiting, terminated = lastState?.terminated } = state ?? {}
    if (waiting?.reason !== undefined && waiting.reason !== 'PodInitializing')
      return `container ${name}: ${withMessage(waiting.reason, waiting.message)}`
    if (terminated && terminated.exitCode !== 0)
      return `container ${name} has ended with ${String(terminated.exitCode)}: ${withMessage(terminated.reason ?? 'Error', terminated.message)}`
  }
  const failed = (status?.conditions ?? []).find(
    ({ type, status: value, message }) =>
      (type === 'PodScheduled' || type === 'Ready') && value === 'False' && message !== undefined,
  )
  if (failed?.message !== undefined) return withMessage(failed.reason ?? failed.type, failed.message)
  return status?.reason === undefined ? undefined : withMessage(status.reason, status.message)
}

const withMessage = (reason: string, message: string | undefined): string =>
  message === undefined || message === '' ? reason : `${reason}: ${message}`
