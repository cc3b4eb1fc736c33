import { defineIndex } from '../../graph/object-index.ts'
import { defineQuery, type GraphReads, type Query } from '../../graph/query.ts'
import { objectKey } from '../../kinds/object.ts'

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
): boolean =>
  from.namespace === to.namespace ||
  reads.query(isGranted, JSON.stringify([partsOf(from), partsOf(to), to.name]))

/** Kept apart, so that a grant of another object changes nothing for this one. Key: origin, destination and name as JSON. */
const isGranted: Query<boolean> = defineQuery('isGranted', (reads, key) => {
  const [from, to, name] = JSON.parse(key) as readonly [Parts, Parts, string]
  const names = reads.query(namesGranted, JSON.stringify([from, to]))
  return names.has('') || names.has(name)
})

/** Names of objects; `all` for those of a kind and namespace whatever their names. */
export type GrantedNames = 'all' | ReadonlySet<string>

/** What ReferenceGrants allow of a kind in another namespace. */
export const grantedNames = (
  reads: GraphReads,
  from: ReferenceOrigin,
  to: Omit<ReferenceDestination, 'name'>,
): GrantedNames => {
  const names = grantsOf(reads, from, to)
  return names.has('') ? 'all' : names
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
  const [from, to] = JSON.parse(key) as readonly [Parts, Parts]
  const [, , namespace] = to
  const [names = NOTHING, ...others] = reads
    .indexed(grantsByOrigin, originValue(namespace, from))
    .flatMap((grant) => reads.tryQuery(grantedByKind, objectKey(grant))?.get(kindValue(to)) ?? [])
  // Those of one grant are not copied for each of its origins.
  return others.length === 0 ? names : new Set([names, ...others].flatMap((one) => [...one]))
})

const NOTHING: ReadonlySet<string> = new Set()

/** The names that a grant allows of each kind, by its key; an empty name stands for all. */
const grantedByKind: Query<ReadonlyMap<string, ReadonlySet<string>>> = defineQuery(
  'grantedByKind',
  (reads, key) => {
    const byKind = new Map<string, Set<string>>()
    for (const { group, kind, name = '' } of reads.object('ReferenceGrant', key)?.spec?.to ?? []) {
      const value = kindValue([group, kind])
      byKind.set(value, (byKind.get(value) ?? new Set()).add(name))
    }
    return byKind
  },
)

const kindValue = ([group, kind]: readonly [group: string, kind: string, ...rest: string[]]): string =>
  JSON.stringify([group, kind])

/** The grants of a namespace for an origin: one that many share may have a grant for each of them. */
const grantsByOrigin = defineIndex('ReferenceGrant', 'origin', ({ metadata, spec }) =>
  (spec?.from ?? []).map(({ group, kind, namespace }) =>
    originValue(metadata.namespace ?? '', [group, kind, namespace]),
  ),
)

const originValue = (namespace: string, from: Parts): string => JSON.stringify([namespace, ...from])
