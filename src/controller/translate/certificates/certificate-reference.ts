import type { GraphReads } from '../../graph/query.ts'
import type { ObjectReference } from '../../kinds/gateway-api.ts'
import { namespacedKey } from '../../kinds/object.ts'
import { isReferenceGranted, type ReferenceOrigin } from '../grants/reference-grants.ts'
import { unsupportedKind } from '../status/unsupported-kind.ts'
import { type KeyPair, secretKeyPair } from './secret-key-pair.ts'

/** Why a reference leads nowhere. */
export interface UnresolvedReference {
  readonly problem: 'invalid' | 'invalidKind' | 'notPermitted'
  readonly message: string
}

/** The key pair that a reference to a Secret leads to. */
export const referencedKeyPair = (
  reads: GraphReads,
  from: ReferenceOrigin,
  reference: ObjectReference,
): KeyPair | UnresolvedReference => {
  const resolved = resolveReference(reads, from, { kind: 'Secret', ...reference }, ['Secret'])
  if ('problem' in resolved) return resolved
  const pair = reads.query(secretKeyPair, resolved.key)
  return 'error' in pair ? { problem: 'invalid', message: pair.error } : pair
}

/**
 * The kind and the key of an object of the core group, if the reference is allowed. Whether it exists is not
 * checked: without permission, the status must not reveal that.
 */
export const resolveReference = (
  reads: GraphReads,
  from: ReferenceOrigin,
  { group = '', kind = '', name, namespace = from.namespace }: ObjectReference,
  kinds: readonly string[],
): { readonly kind: string; readonly key: string } | UnresolvedReference => {
  if (group !== '' || !kinds.includes(kind))
    return {
      problem: 'invalidKind',
      message: unsupportedKind(group, kind),
    }
  if (!isReferenceGranted(reads, from, { group, kind, namespace, name }))
    return {
      problem: 'notPermitted',
      message: `No ReferenceGrant allows the reference to ${kind} ${namespacedKey(namespace, name)}`,
    }
  return { kind, key: namespacedKey(namespace, name) }
}
