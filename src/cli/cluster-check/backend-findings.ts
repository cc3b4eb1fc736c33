import { conditionFindings, notProcessed } from './condition-findings.ts'
import type { ClusterFinding } from './cluster-finding.ts'
import type { ClusterObject } from './cluster-objects.ts'

/**
 * What is wrong with a ProxyBackend, or with an InferencePool at the Gateways that use it. A pool that no Gateway of the
 * controller uses is somebody else's, or unused: its status has no entry of ours, and nothing is wrong with it.
 */
export const backendFindings = (
  controllerName: string,
  kind: string,
  { metadata: { namespace = '', name, generation }, status }: ClusterObject,
): readonly ClusterFinding[] => {
  const subject = { kind, namespace, name }
  if (kind === 'InferencePool')
    return (status?.parents ?? [])
      .filter((parent) => parent.controllerName === controllerName)
      .flatMap(({ parentRef, conditions = [] }) =>
        conditionFindings(
          {
            ...subject,
            // An entry of another kind is about the pool as a whole.
            ...(parentRef?.kind === 'Gateway' && {
              part: `Gateway ${parentRef.namespace ?? namespace}/${parentRef.name}`,
            }),
          },
          conditions,
          generation,
        ),
      )
  const { conditions = [] } = status ?? {}
  if (conditions.length > 0) return conditionFindings(subject, conditions, generation)
  return [notProcessed(subject)]
}
