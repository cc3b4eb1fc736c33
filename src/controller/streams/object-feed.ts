import { isDeepStrictEqual } from 'node:util'
import { type Kind, type Kinds, watchedKinds } from '../kinds/kinds.ts'
import type { Change } from './change.ts'

/** Where objects go: the graph. */
export interface ObjectTarget {
  set<K extends Kind>(kind: K, key: string, object: Kinds[K]): void
  delete(kind: Kind, key: string): void
}

/**
 * Feeds objects into a graph, and keeps them as they are for those who write statuses. The graph gets objects of the
 * Gateway API without their status, and no object with its `resourceVersion`, so that writing a status changes nothing
 * that is computed.
 */
export class ObjectFeed {
  readonly #target: ObjectTarget
  readonly #watched: readonly Kind[]
  readonly #objects = new Map<Kind, Map<string, FedObject>>()
  readonly #synced = new Set<Kind>()

  /** @param watched The kinds whose objects come. */
  constructor(target: ObjectTarget, watched: readonly Kind[] = watchedKinds()) {
    this.#target = target
    this.#watched = watched
  }

  /** Takes a change; returns whether something changed for the graph, the completeness of a kind included. */
  apply(change: Change): boolean {
    if (change.type === 'synced') {
      const isNews = !this.#synced.has(change.kind)
      this.#synced.add(change.kind)
      return isNews
    }
    return change.type === 'set' ? this.#set(change.kind, change.key, change.object) : this.#delete(change)
  }

  /** An object as the API server has it. */
  current<K extends Kind>(kind: K, key: string): Kinds[K] | undefined {
    return this.#objects.get(kind)?.get(key)?.current as Kinds[K] | undefined
  }

  /** All objects of a kind, as the API server has them. */
  *objects(kind: Kind): Iterable<Kinds[Kind]> {
    for (const { current } of this.#objects.get(kind)?.values() ?? []) yield current
  }

  /** Number of objects of each kind. */
  *counts(): Iterable<readonly [kind: Kind, count: number]> {
    for (const [kind, objects] of this.#objects) yield [kind, objects.size]
  }

  /** The kinds that are not completely known yet. */
  get pending(): readonly Kind[] {
    return this.#watched.filter((kind) => !this.#synced.has(kind))
  }

  /** Whether all objects of these kinds are known. */
  isSynced(wanted: readonly Kind[] = this.#watched): boolean {
    return wanted.every((kind) => this.#synced.has(kind))
  }

  #set(kind: Kind, key: string, current: Kinds[Kind]): boolean {
    let objects = this.#objects.get(kind)
    if (!objects) this.#objects.set(kind, (objects = new Map<string, FedObject>()))
    const before = objects.get(key)?.fed
    const fed = graphForm(kind, current)
    const isSame = before !== undefined && isDeepStrictEqual(before, fed)
    objects.set(key, { current, fed: isSame ? before : fed })
    if (!isSame) this.#target.set(kind, key, fed)
    return !isSame
  }

  #delete({ kind, key }: { readonly kind: Kind; readonly key: string }): boolean {
    if (!this.#objects.get(kind)?.delete(key)) return false
    this.#target.delete(kind, key)
    return true
  }
}

interface FedObject {
  readonly current: Kinds[Kind]
  /** What the graph has. */
  readonly fed: Kinds[Kind]
}

const graphForm = (kind: Kind, object: Kinds[Kind]): Kinds[Kind] => {
  const { resourceVersion: _version, statusManagers: _managers, ...metadata } = object.metadata
  // Of these, the status is read.
  if (kind === 'Service' || kind === 'Pod') return { ...object, metadata }
  const { status: _status, ...withoutStatus } = object as Kinds[Kind] & { readonly status?: unknown }
  return { ...withoutStatus, metadata }
}
