import type { ClusterFinding } from './cluster-finding.ts'
import type { ClusterReader } from './cluster-reader.ts'
import {
  differenceText,
  isEqual,
  type ResourceVersions,
  resourceVersions,
  versionDifference,
} from './resource-versions.ts'
import { CommandFailure } from '../command-failure.ts'
import { dumpMembers } from '../dump/json-access.ts'
import { isApiStatus, permissionText } from '../kubernetes/cluster-failure.ts'
import { isPodReady, podProblem } from '../kubernetes/pod-state.ts'
import { controllerLabel, podTarget } from '../kubernetes/pod-targets.ts'
import { podsWithLabels } from '../kubernetes/pods-with-labels.ts'

/** What one replica of the controller publishes, by the role of the proxies: `namespace/name`. */
export type ControllerSnapshot = ReadonlyMap<string, ResourceVersions>

/** What the replicas of the controller publish, and what is wrong with them. */
export interface ControllerState {
  readonly findings: readonly ClusterFinding[]
  /** One for each replica that could be asked: the same, unless one of them does not follow the cluster. */
  readonly snapshots: readonly ControllerSnapshot[]
}

/** Reads the snapshots of the controller, which also shows whether it runs. */
export const controllerState = async (
  reader: ClusterReader,
  { namespace, port }: { readonly namespace: string; readonly port: number },
): Promise<ControllerState> => {
  const subject = 'the controller'
  let pods
  try {
    pods = await podsWithLabels(reader.cluster, namespace, controllerLabel)
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error
    reader.skip(subject, skippedReason(error))
    return { findings: [], snapshots: [] }
  }
  const error = (name: string, reason: string, message: string): ClusterFinding => ({
    severity: 'error',
    kind: 'Pod',
    namespace,
    name,
    part: subject,
    reason,
    message,
    isTransient: true,
  })
  const ready = pods.filter(isPodReady)
  const unready = pods.filter((pod) => !ready.includes(pod) && pod.metadata?.deletionTimestamp === undefined)
  const findings = unready.map((pod) =>
    error(pod.metadata?.name ?? '', 'NotReady', podProblem(pod) ?? 'it is not ready'),
  )
  if (pods.length === 0)
    findings.push(error('*', 'NoController', `there is no pod of the controller (label ${controllerLabel})`))
  const access = { url: new URL('http://127.0.0.1') }
  const snapshots: ControllerSnapshot[] = []
  for (const pod of ready) {
    try {
      const text = await podTarget(reader.cluster, pod, access, port).withAdmin((admin) =>
        admin.readText({ path: '/snapshots' }),
      )
      const roles = Object.entries(dumpMembers(JSON.parse(text)))
      const snapshot = new Map(roles.map(([role, list]) => [role, resourceVersions(list)]))
      const [first] = snapshots
      const difference = first && replicaDifference(first, snapshot)
      if (difference !== undefined)
        findings.push(error(pod.metadata?.name ?? '', 'ReplicasDiffer', difference))
      snapshots.push(snapshot)
    } catch (failure) {
      if (!(failure instanceof CommandFailure) && !(failure instanceof SyntaxError)) throw failure
      reader.skip(subject, failure instanceof CommandFailure ? skippedReason(failure) : failure.message)
    }
  }
  return { findings, snapshots }
}

/** Why something could not be looked at, without what was tried: equal for all objects that it is true of. */
export const skippedReason = ({ message, cause }: CommandFailure): string =>
  isApiStatus(cause, 403) ? permissionText(cause) : message.replace(/^.*port forward process: /, '')

/** Replicas compute the same from the same cluster. */
const replicaDifference = (one: ControllerSnapshot, other: ControllerSnapshot): string | undefined => {
  for (const role of new Set([...one.keys(), ...other.keys()])) {
    const difference = versionDifference(one.get(role) ?? new Map(), other.get(role) ?? new Map())
    if (!isEqual(difference))
      return `it publishes others than another replica for ${role}: ${differenceText(difference)}`
  }
  return undefined
}
