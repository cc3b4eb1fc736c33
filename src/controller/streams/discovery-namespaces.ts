import { concatMap, defer, type MonoTypeOperatorFunction } from 'rxjs'
import { kinds } from '../kinds/kinds.ts'
import { matchesLabels } from '../kinds/label-selector.ts'
import type { LabelSelector } from '../kinds/object.ts'
import type { Change } from './change.ts'

/**
 * Passes on only what is in namespaces that one of the selectors selects, and all objects of the cluster scope. When the
 * labels of a namespace change, its objects appear or vanish. Without selectors everything passes.
 *
 * Costs a second list of the objects that are left out, so that they can appear without being listed again.
 *
 * @param ownNamespace That of the control plane. Its Secrets always pass: one has the certificate authority of xDS.
 */
export const inDiscoveryNamespaces = (
  selectors: readonly LabelSelector[],
  ownNamespace?: string,
): MonoTypeOperatorFunction<Change> => {
  if (selectors.length === 0) return (changes$) => changes$
  return (changes$) =>
    defer(() => {
      const visible = new VisibleObjects(selectors, ownNamespace)
      return changes$.pipe(concatMap((change) => visible.changesBy(change)))
    })
}

type ObjectChange = Exclude<Change, { readonly type: 'synced' }>

class VisibleObjects {
  readonly #selectors: readonly LabelSelector[]
  readonly #ownNamespace: string | undefined
  readonly #selected = new Set<string>()
  /** The changes that made the objects of each namespace, by kind and key. */
  readonly #objects = new Map<string, Map<string, ObjectChange>>()
  #heldSynced: Change[] | undefined = []

  constructor(selectors: readonly LabelSelector[], ownNamespace: string | undefined) {
    this.#selectors = selectors
    this.#ownNamespace = ownNamespace
  }

  *changesBy(change: Change): Iterable<Change> {
    if (change.type === 'synced') yield* this.#synced(change)
    else if (change.kind === 'Namespace') yield* this.#namespace(change)
    else if (kinds[change.kind].isNamespaced) yield* this.#namespaced(change)
    else yield change
  }

  /** No kind is complete before all namespaces are known. */
  *#synced(change: Change): Iterable<Change> {
    const held = this.#heldSynced
    if (held && change.kind !== 'Namespace') {
      held.push(change)
      return
    }
    this.#heldSynced = undefined
    yield change
    yield* held ?? []
  }

  *#namespace(change: Extract<ObjectChange, { readonly kind: 'Namespace' }>): Iterable<Change> {
    const { name, labels = {} } = change.object.metadata
    const isSelected =
      change.type === 'set' && this.#selectors.some((selector) => matchesLabels(labels, selector))
    const wasSelected = this.#selected.has(name)
    // A namespace is known before its objects, and stays known until they have vanished.
    if (change.type === 'set') yield change
    if (isSelected && !wasSelected) {
      this.#selected.add(name)
      yield* this.#of(name).values()
    }
    if (wasSelected && !isSelected) {
      this.#selected.delete(name)
      for (const object of this.#of(name).values()) yield { ...object, type: 'deleted' }
    }
    if (change.type === 'deleted') yield change
  }

  *#namespaced(change: ObjectChange): Iterable<Change> {
    const { namespace = '' } = change.object.metadata
    if (change.kind === 'Secret' && namespace === this.#ownNamespace) {
      yield change
      return
    }
    const id = `${change.kind}/${change.key}`
    if (change.type === 'set') this.#of(namespace).set(id, change)
    else this.#of(namespace).delete(id)
    if (this.#of(namespace).size === 0) this.#objects.delete(namespace)
    if (this.#selected.has(namespace)) yield change
  }

  #of(namespace: string): Map<string, ObjectChange> {
    let objects = this.#objects.get(namespace)
    if (!objects) this.#objects.set(namespace, (objects = new Map<string, ObjectChange>()))
    return objects
  }
}
