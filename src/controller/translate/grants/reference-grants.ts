import { defineIndex } from '../../graph/object-index.ts'
import { defineQuery, type GraphReads, type Query } from '../../graph/query.ts'
import type { ReferenceGrant } from '../../kinds/gateway-api.ts'
import { attempt } from '../attempt.ts'

/** What refers to an object of another namespace. */
export interface ReferenceOrigin {
  /** Empty for the core group. */
  readonly group: string
  readonly kind: string
  readonly namespace: string
}

/** An object that is referred to. */
export interface ReferenceDestination extends ReferenceOrigin {
  readonly name: string
}

/** A Gateway or a ListenerSet as the origin of its references. */
export const listenerOwnerOrigin = (kind: 'Gateway' | 'ListenerSet', namespace: string): ReferenceOrigin => ({
  group: 'gateway.networking.k8s.io',
  kind,
  namespace,
})

/**
 * Whether a reference is allowed: always within a namespace, otherwise by a ReferenceGrant in the namespace of the
 * destination.
 */
export const isReferenceGranted = (
  reads: GraphReads,
  from: ReferenceOrigin,
  to: ReferenceDestination,
): boolean => from.namespace === to.namespace || isAmong(to.name, grantsOf(reads, from, to))

const isAmong = (name: string, names: ReadonlySet<string>): boolean => names.has('') || names.has(name)

/** Names of objects; `all` for those of a kind and namespace whatever their names. */
export type GrantedNames = 'all' | readonly string[]

/** What ReferenceGrants allow of a kind in another namespace. */
export const grantedNames = (
  reads: GraphReads,
  from: ReferenceOrigin,
  to: Omit<ReferenceDestination, 'name'>,
): GrantedNames => {
  const names = grantsOf(reads, from, to)
  return names.has('') ? 'all' : [...names].sort()
}

const grantsOf = (
  reads: GraphReads,
  from: ReferenceOrigin,
  to: Omit<ReferenceDestination, 'name'>,
): ReadonlySet<string> => reads.query(namesGranted, JSON.stringify([from, to].map(partsOf)))

const partsOf = ({ group, kind, namespace }: ReferenceOrigin): Parts => [group, kind, namespace]

type Parts = readonly [group: string, kind: string, namespace: string]

/**
 * The names that grants allow of a kind, found once for all references of an origin: there may be thousands of both.
 * Key: origin and destination as JSON.
 */
const namesGranted: Query<ReadonlySet<string>> = defineQuery('namesGranted', (reads, key) => {
  const [from, to] = (JSON.parse(key) as readonly [Parts, Parts]).map(([group, kind, namespace]) => ({
    group,
    kind,
    namespace,
  })) as [ReferenceOrigin, ReferenceOrigin]
  const names = reads
    .indexed(grantsByNamespace, to.namespace)
    .flatMap((grant) => attempt(() => namesIn(grant, from, to)).value ?? [])
  return new Set(names)
})

/** An empty name stands for all. */
const namesIn = (
  { spec }: ReferenceGrant,
  from: ReferenceOrigin,
  to: Omit<ReferenceDestination, 'name'>,
): readonly string[] =>
  isOrigin(spec, from)
    ? (spec?.to ?? []).flatMap(({ group, kind, name = '' }) =>
        group === to.group && kind === to.kind ? [name] : [],
      )
    : []

const isOrigin = (spec: ReferenceGrant['spec'], from: ReferenceOrigin): boolean =>
  (spec?.from ?? []).some(
    ({ group, kind, namespace }) =>
      group === from.group && kind === from.kind && namespace === from.namespace,
  )

const grantsByNamespace = defineIndex('ReferenceGrant', 'namespace', ({ metadata }) => [
  metadata.namespace ?? '',
])
