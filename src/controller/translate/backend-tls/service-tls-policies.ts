import { defineIndex } from '../../graph/object-index.ts'
import { defineQuery, type GraphReads, type Query } from '../../graph/query.ts'
import type { BackendTLSPolicy } from '../../kinds/gateway-api.ts'
import { objectKey } from '../../kinds/object.ts'
import { type KnownService, knownService } from '../service/known-service.ts'

/** A BackendTLSPolicy at a Service, or at one of its ports. */
export interface ServiceTlsPolicy {
  /** The key of the policy. */
  readonly policy: string
  /** The name of the port, or its number; absent for the whole Service. */
  readonly sectionName: string | undefined
  /** The number of the port. */
  readonly port: number | undefined
  readonly state: 'effective' | 'conflicted' | 'portNotFound'
  /** The key of the policy that has precedence, if it is conflicted. */
  readonly winner: string | undefined
}

/** The same by the key of the policy: a target may have many, and each asks for its own. */
export const tlsPolicyAtService: Query<ReadonlyMap<string, readonly ServiceTlsPolicy[]>> = defineQuery(
  'tlsPolicyAtService',
  (reads, id) => Map.groupBy(reads.query(serviceTlsPolicies, id), ({ policy }) => policy),
)

/**
 * The BackendTLSPolicies of a Service or an InferencePool, by the id of the target, in the order of precedence: the older
 * one, then the first by name.
 */
export const serviceTlsPolicies: Query<readonly ServiceTlsPolicy[]> = defineQuery(
  'serviceTlsPolicies',
  (reads, id) => {
    const winners = new Map<string, string>()
    const service = serviceOf(reads, id)
    return [...reads.indexed(policiesByTarget, id)].sort(byAge).flatMap((policy) => {
      const key = objectKey(policy)
      return (reads.query(targetRefsById, key).get(id) ?? []).flatMap((target) => {
        const sectionName = target.sectionName === '' ? undefined : target.sectionName
        const port = sectionName === undefined ? undefined : portOf(service, sectionName)
        const section = port === undefined ? (sectionName ?? '') : `port ${String(port)}`
        const winner = winners.get(section)
        if (winner === undefined) winners.set(section, key)
        const state: ServiceTlsPolicy['state'] =
          winner !== undefined
            ? 'conflicted'
            : sectionName !== undefined && port === undefined
              ? 'portNotFound'
              : 'effective'
        return [{ policy: key, sectionName, port, state, winner }]
      })
    })
  },
)

/** The references of a policy to each of its targets, by the key of the policy. */
const targetRefsById: Query<ReadonlyMap<string | undefined, BackendTLSPolicy['spec']['targetRefs']>> =
  defineQuery('targetRefsById', (reads, key) => {
    const policy = reads.object('BackendTLSPolicy', key)
    return Map.groupBy(policy?.spec.targetRefs ?? [], (target) => policy && targetId(policy, target))
  })

/** A port by its name, as specified, or by its number: the only port of a Service needs no name. */
const portOf = (service: KnownService | undefined, sectionName: string): number | undefined =>
  service?.portsByName.get(sectionName) ?? (service?.ports.has(sectionName) ? Number(sectionName) : undefined)

/** The id of an InferencePool among targets. */
export const poolTarget = (pool: string): string => `${POOL}${pool}`

/** The key of the InferencePool with this id; undefined if it is that of a Service, which is its key. */
export const poolOfTarget = (id: string): string | undefined =>
  id.startsWith(POOL) ? id.slice(POOL.length) : undefined

/** The ids of the Services and InferencePools that a BackendTLSPolicy is attached to. */
export const targetsOfPolicy = (policy: BackendTLSPolicy): readonly string[] => [
  ...new Set(policy.spec.targetRefs.flatMap((target) => targetId(policy, target) ?? [])),
]

const policiesByTarget = defineIndex('BackendTLSPolicy', 'target', (policy) => targetsOfPolicy(policy))

const targetId = (
  { metadata }: BackendTLSPolicy,
  { group, kind, name }: BackendTLSPolicy['spec']['targetRefs'][number],
): string | undefined => {
  const key = `${metadata.namespace ?? ''}/${name}`
  if (group === '' && kind === 'Service') return key
  return group === 'inference.networking.k8s.io' && kind === 'InferencePool' ? poolTarget(key) : undefined
}

/** An InferencePool is a target as a whole: a picker chooses among all of its ports, and their connections are alike. */
const serviceOf = (reads: GraphReads, id: string): KnownService | undefined =>
  poolOfTarget(id) === undefined ? reads.tryQuery(knownService, id) : undefined

const POOL = 'InferencePool/'

const byAge = (a: BackendTLSPolicy, b: BackendTLSPolicy): number => {
  const [first, second] = [a, b].map(
    (one) => `${one.metadata.creationTimestamp ?? ''} ${objectKey(one)}`,
  ) as [string, string]
  return first < second ? -1 : first > second ? 1 : 0
}
