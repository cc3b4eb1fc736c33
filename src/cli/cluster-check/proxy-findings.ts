import type { V1Pod } from '@kubernetes/client-node'
import type { ClusterFinding } from './cluster-finding.ts'
import type { ClusterObject } from './cluster-objects.ts'
import type { ClusterReader } from './cluster-reader.ts'
import { type ControllerSnapshot, skippedReason } from './controller-snapshots.ts'
import { differenceText, isEqual, resourceVersions, versionDifference } from './resource-versions.ts'
import { CommandFailure } from '../command-failure.ts'
import { type DumpMembers, dumpItems, dumpMembers, dumpText } from '../dump/json-access.ts'
import { parseConfigDump } from '../dump/parse-config-dump.ts'
import type { AdminAccess } from '../gateway/admin-access.ts'
import { isPodReady, podProblem } from '../kubernetes/pod-state.ts'
import { podTarget } from '../kubernetes/pod-targets.ts'
import { podsWithLabels } from '../kubernetes/pods-with-labels.ts'
import { GATEWAY_NAME_LABEL } from '../../controller/kinds/object.ts'
import { deploymentName } from '../../controller/translate/deployment/names.ts'

/** How proxies are reached, and what they should have. */
export interface ProxyCheck {
  readonly access: AdminAccess
  readonly port: number
  readonly snapshots: readonly ControllerSnapshot[]
  /** Counts a proxy. */
  readonly onChecked: () => void
}

/**
 * What is wrong with the proxies of a Gateway: there are none, they are not ready, have no connection to the controller, an
 * old configuration, or have refused a part of it.
 */
export const proxyFindings = async (
  reader: ClusterReader,
  { metadata: { namespace = '', name }, status }: ClusterObject,
  check: ProxyCheck,
): Promise<readonly ClusterFinding[]> => {
  const role = deploymentName(name)
  let pods: readonly V1Pod[]
  try {
    pods = await podsWithLabels(reader.cluster, namespace, `${GATEWAY_NAME_LABEL}=${role}`)
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error
    reader.skip(`proxies of Gateway ${namespace}/${name}`, skippedReason(error))
    return []
  }
  // A Gateway that is not in order has none, or not yet.
  const isProgrammed = (status?.conditions ?? []).some(
    (one) => one.type === 'Programmed' && one.status === 'True',
  )
  if (pods.length === 0 && !isProgrammed) return []
  if (pods.length === 0)
    return [
      {
        severity: 'error',
        kind: 'Gateway',
        namespace,
        name,
        reason: 'NoProxies',
        message: `no pod has the label ${GATEWAY_NAME_LABEL}=${role}`,
        isTransient: true,
      },
    ]
  const living = pods.filter(({ metadata }) => metadata?.deletionTimestamp === undefined)
  const found = await Promise.all(living.map((pod) => ofPod(reader, pod, `${namespace}/${role}`, check)))
  return found.flat().map((one) => ({ ...one, namespace, part: `Gateway ${namespace}/${name}` }))
}

type ProxyProblem = Pick<ClusterFinding, 'severity' | 'kind' | 'name' | 'reason' | 'message' | 'isTransient'>

const ofPod = async (
  reader: ClusterReader,
  pod: V1Pod,
  role: string,
  check: ProxyCheck,
): Promise<readonly ProxyProblem[]> => {
  const { name = '', namespace = '' } = pod.metadata ?? {}
  const problem = problemOf(name)
  const unready = isPodReady(pod) ? [] : [problem('NotReady', podProblem(pod) ?? 'it is not ready')]
  if (pod.status?.phase !== 'Running') return unready
  try {
    const target = podTarget(reader.cluster, pod, check.access, check.port)
    const dump = await target.withAdmin(async (admin) =>
      parseConfigDump(await admin.readText({ path: '/config_dump' }), `the response of ${name}`),
    )
    check.onChecked()
    const { controlPlane } = dump
    if (controlPlane === undefined)
      reader.skip(`Pod ${namespace}/${name}`, 'its version does not show what it has of the controller')
    else unready.push(...controlPlaneProblems(dumpMembers(controlPlane), role, check.snapshots, problem))
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error
    reader.skip(`Pod ${namespace}/${name}`, skippedReason(error))
  }
  return unready
}

const problemOf =
  (name: string) =>
  (reason: string, message: string): ProxyProblem => ({
    severity: 'error',
    kind: 'Pod',
    name,
    reason,
    message,
    isTransient: true,
  })

/** By what the proxy itself says. */
const controlPlaneProblems = (
  { connected, since, error, resources, refused }: DumpMembers,
  role: string,
  snapshots: readonly ControllerSnapshot[],
  problem: (reason: string, message: string) => ProxyProblem,
): readonly ProxyProblem[] => {
  const problems: ProxyProblem[] = []
  if (connected !== true) {
    const why = dumpText(error) === '' ? '' : `: ${dumpText(error)}`
    problems.push(
      problem('NotConnected', `it has no connection to the controller since ${dumpText(since)}${why}`),
    )
  }
  for (const one of dumpItems(refused)) {
    const { name, problem: why } = dumpMembers(one)
    const text = dumpText(why)
    problems.push(
      problem('ResourceRefused', text.startsWith(dumpText(name)) ? text : `${dumpText(name)}: ${text}`),
    )
  }
  const refusedNames = new Set(dumpItems(refused).map((one) => dumpText(dumpMembers(one).name)))
  const found = resourceVersions(resources)
  const differences = snapshots.map((snapshot) => {
    const { outdated, surplus } = versionDifference(snapshot.get(role) ?? new Map(), found)
    return { outdated: outdated.filter((name) => !refusedNames.has(name)), surplus }
  })
  const [first] = differences
  // Replicas may be at different points; a proxy is connected to one of them.
  if (first && !differences.some(isEqual))
    problems.push(
      problem('OldConfiguration', `it does not have what the controller publishes: ${differenceText(first)}`),
    )
  return problems
}
