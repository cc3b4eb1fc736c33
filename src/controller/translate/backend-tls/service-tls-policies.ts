import { defineIndex } from '../../graph/object-index.ts'
import { defineQuery, type Query } from '../../graph/query.ts'
import type { ServicePort } from '../../kinds/core.ts'
import type { BackendTLSPolicy } from '../../kinds/gateway-api.ts'
import { objectKey } from '../../kinds/object.ts'
import { knownService } from '../service/known-service.ts'

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

/** The BackendTLSPolicies of a Service, by its key, in the order of precedence: the older one, then the first by name. */
export const serviceTlsPolicies: Query<readonly ServiceTlsPolicy[]> = defineQuery(
  'serviceTlsPolicies',
  (reads, service) => {
    const winners = new Map<string, string>()
    const name = service.slice(service.indexOf('/') + 1)
    return [...reads.indexed(policiesByService, service)].sort(byAge).flatMap((policy) => {
      const key = objectKey(policy)
      return policy.spec.targetRefs.filter(isServiceTarget).flatMap((target) => {
        if (target.name !== name) return []
        const sectionName = target.sectionName === '' ? undefined : target.sectionName
        const port =
          sectionName === undefined
            ? undefined
            : portOf(reads.tryQuery(knownService, service)?.ports ?? [], sectionName)
        const place = port === undefined ? (sectionName ?? '') : `port ${String(port)}`
        const winner = winners.get(place)
        if (winner === undefined) winners.set(place, key)
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

/** A port by its name, as specified, or by its number: the only port of a Service needs no name. */
const portOf = (ports: readonly ServicePort[], sectionName: string): number | undefined =>
  (ports.find(({ name }) => name === sectionName) ?? ports.find(({ port }) => String(port) === sectionName))
    ?.port

/** The keys of the Services that a BackendTLSPolicy is attached to. */
export const targetServices = ({ metadata, spec }: BackendTLSPolicy): readonly string[] => [
  ...new Set(
    spec.targetRefs.filter(isServiceTarget).map(({ name }) => `${metadata.namespace ?? ''}/${name}`),
  ),
]

const policiesByService = defineIndex('BackendTLSPolicy', 'service', (policy) => targetServices(policy))

const isServiceTarget = ({ group, kind }: BackendTLSPolicy['spec']['targetRefs'][number]): boolean =>
  group === '' && kind === 'Service'

const byAge = (a: BackendTLSPolicy, b: BackendTLSPolicy): number => {
  const [first, second] = [a, b].map(
    (one) => `${one.metadata.creationTimestamp ?? ''} ${objectKey(one)}`,
  ) as [string, string]
  return first < second ? -1 : first > second ? 1 : 0
}
