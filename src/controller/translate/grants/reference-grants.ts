import { defineIndex } from '../../graph/object-index.ts'
import type { GraphReads } from '../../graph/query.ts'
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
): boolean =>
  from.namespace === to.namespace ||
  reads
    .indexed(grantsByNamespace, to.namespace)
    .some((grant) => attempt(() => allows(grant, from, to)).value === true)

/** Names of objects; `all` for those of a kind and namespace whatever their names. */
export type GrantedNames = 'all' | readonly string[]

/** What ReferenceGrants allow of a kind in another namespace. */
export const grantedNames = (
  reads: GraphReads,
  from: ReferenceOrigin,
  to: Omit<ReferenceDestination, 'name'>,
): GrantedNames => {
  const names = reads
    .indexed(grantsByNamespace, to.namespace)
    .flatMap((grant) => attempt(() => namesIn(grant, from, to)).value ?? [])
  return names.includes('') ? 'all' : [...new Set(names)].sort()
}

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

const allows = ({ spec }: ReferenceGrant, from: ReferenceOrigin, to: ReferenceDestination): boolean =>
  isOrigin(spec, from) &&
  (spec?.to ?? []).some(
    ({ group, kind, name }) =>
      group === to.group && kind === to.kind && (name === undefined || name === '' || name === to.name),
  )

const grantsByNamespace = defineIndex('ReferenceGrant', 'namespace', ({ metadata }) => [
  metadata.namespace ?? '',
])
