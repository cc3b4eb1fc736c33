import { defineIndex } from '../../graph/object-index.ts'
import type { GraphReads } from '../../graph/query.ts'
import type { Gateway, ListenerSet } from '../../kinds/gateway-api.ts'
import { namespacedKey, objectKey } from '../../kinds/object.ts'
import { allowedNamespaces, isNamespaceAllowed } from '../namespaces/allowed-namespaces.ts'

/** The key of the Gateway that a ListenerSet refers to, if it refers to one. */
export const listenerSetParent = ({ metadata, spec: { parentRef } }: ListenerSet): string | undefined =>
  (parentRef.group ?? 'gateway.networking.k8s.io') === 'gateway.networking.k8s.io' &&
  (parentRef.kind ?? 'Gateway') === 'Gateway'
    ? namespacedKey(parentRef.namespace ?? metadata.namespace, parentRef.name)
    : undefined

/** Whether a Gateway allows listeners from the namespace of a ListenerSet. */
export const allowsListenerSet = (reads: GraphReads, gateway: Gateway, set: ListenerSet): boolean =>
  isNamespaceAllowed(
    reads,
    allowedNamespaces(gateway.spec.allowedListeners?.namespaces, 'None', gateway.metadata.namespace ?? ''),
    set.metadata.namespace ?? '',
  )

/** The ListenerSets that a Gateway allows, the oldest first, then by their keys. */
export const attachedListenerSets = (reads: GraphReads, gateway: Gateway): readonly ListenerSet[] =>
  reads
    .indexed(setsByGateway, objectKey(gateway))
    .filter((set) => allowsListenerSet(reads, gateway, set))
    .sort(
      (a, b) =>
        compareText(a.metadata.creationTimestamp ?? '', b.metadata.creationTimestamp ?? '') ||
        compareText(objectKey(a), objectKey(b)),
    )

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

const setsByGateway = defineIndex('ListenerSet', 'gateway', (set) => {
  const parent = listenerSetParent(set)
  return parent === undefined ? [] : [parent]
})
