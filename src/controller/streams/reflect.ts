import { concatMap, defer, type Observable, type OperatorFunction } from 'rxjs'
import type { Kind, Kinds } from '../kinds/kinds.ts'
import { objectKey } from '../kinds/object.ts'
import type { ChangeOf } from './change.ts'
import { listAndWatch } from './list-and-watch.ts'
import type { Observation, ReflectorOptions } from './reflector-source.ts'

/**
 * Reflects the objects of a kind: emits each as it is, then `synced`, then every change, for ever. What happened while
 * there was no connection is emitted as the difference, deletions included.
 *
 * @example
 * reflect('Gateway', { client, log, observer }).subscribe(({ type, ...change }) => …)
 */
export const reflect = <K extends Kind>(kind: K, options: ReflectorOptions): Observable<ChangeOf<K>> =>
  listAndWatch(kind, options).pipe(differences(kind))

const differences = <K extends Kind>(kind: K): OperatorFunction<Observation<K>, ChangeOf<K>> => {
  return (observations$) =>
    defer(() => {
      const known = new KnownObjects(kind)
      return observations$.pipe(concatMap((observation) => known.changesTo(observation)))
    })
}

/** The objects that were emitted. */
class KnownObjects<K extends Kind> {
  readonly #kind: K
  #objects = new Map<string, Kinds[K]>()
  #isSynced = false

  constructor(kind: K) {
    this.#kind = kind
  }

  /** What an observation changes; it is then known. */
  *changesTo(observation: Observation<K>): Iterable<ChangeOf<K>> {
    if (observation.type === 'listed') yield* this.#replace(observation.objects)
    else if (observation.type === 'changed')
      yield* this.#set(objectKey(observation.object), observation.object)
    else if (observation.type === 'removed') yield* this.#delete(objectKey(observation.object))
  }

  *#replace(objects: ReadonlyMap<string, Kinds[K]>): Iterable<ChangeOf<K>> {
    for (const key of [...this.#objects.keys()]) if (!objects.has(key)) yield* this.#delete(key)
    for (const [key, object] of objects) yield* this.#set(key, object)
    if (this.#isSynced) return
    this.#isSynced = true
    yield { type: 'synced', kind: this.#kind }
  }

  *#set(key: string, object: Kinds[K]): Iterable<ChangeOf<K>> {
    const before = this.#objects.get(key)?.metadata
    const { uid, resourceVersion } = object.metadata
    if (before && before.uid === uid && before.resourceVersion === resourceVersion) return
    this.#objects.set(key, object)
    yield { type: 'set', kind: this.#kind, key, object }
  }

  *#delete(key: string): Iterable<ChangeOf<K>> {
    const object = this.#objects.get(key)
    if (!object) return
    this.#objects.delete(key)
    yield { type: 'deleted', kind: this.#kind, key, object }
  }
}
