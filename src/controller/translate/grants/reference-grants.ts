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

const allows = ({ spec }: ReferenceGrant, from: ReferenceOrigin, to: ReferenceDestination): boolean =>
  (spec?.from ?? []).some(
    ({ group, kind, namespace }) =>
      group === from.group && kind === from.kind && namespace === from.namespace,
  ) &&
  (spec?.to ?? []).some(
    ({ group, kind, name }) =>
      group === to.group && kind === to.kind && (name === undefined || name === '' || name === to.name),
  )

const grantsByNamespace = defineIndex('ReferenceGrant', 'namespace', ({ metadata }) => [
  metadata.namespace ?? '',
])
