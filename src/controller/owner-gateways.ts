import { concatMap, type Observable } from 'rxjs'
import { namespacedKey } from './kinds/object.ts'
import type { Change } from './streams/change.ts'

/**
 * The keys of the Gateways whose deployed objects have changed or are gone. Only the kinds that are followed count:
 * others are applied again with the next change of their Gateway.
 */
export const ownerGateways = (changes$: Observable<Change>): Observable<string> =>
  changes$.pipe(
    concatMap((change) => {
      if (change.type === 'synced' || !DEPLOYED.has(change.kind)) return []
      const { namespace, ownerReferences = [] } = change.object.metadata
      return ownerReferences
        .filter(({ kind, controller }) => kind === 'Gateway' && controller === true)
        .map(({ name }) => namespacedKey(namespace, name))
    }),
  )

const DEPLOYED: ReadonlySet<string> = new Set([
  'ConfigMap',
  'DaemonSet',
  'Deployment',
  'HorizontalPodAutoscaler',
  'PodDisruptionBudget',
  'Secret',
  'Service',
])
