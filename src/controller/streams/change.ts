import type { Kind, Kinds } from '../kinds/kinds.ts'

/** A change of an object of the cluster, or the moment when all objects of a kind are known. */
export type Change = { readonly [K in Kind]: ChangeOf<K> }[Kind]

/** A change of an object of a kind. */
export type ChangeOf<K extends Kind> =
  | { readonly type: 'set'; readonly kind: K; readonly key: string; readonly object: Kinds[K] }
  | { readonly type: 'deleted'; readonly kind: K; readonly key: string; readonly object: Kinds[K] }
  | { readonly type: 'synced'; readonly kind: K }
