import type { KubernetesObject } from '../../../src/controller/kinds/object.ts'

/** An object with all its fields. */
export type StoredObject = KubernetesObject & Readonly<Record<string, unknown>>

/** A change, in the words of a watch. */
export interface StoredChange {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'
  /** The collection, such as `apps/deployments`. */
  readonly collection: string
  readonly version: number
  readonly object: StoredObject
}

/** Objects by collection and key, with the history of their changes. */
export class StoredObjects {
  readonly history: StoredChange[] = []
  readonly #objects = new Map<string, StoredObject>()
  #wake: (() => void) | undefined = undefined
  #changed = this.#nextChange()

  get version(): number {
    return this.history.length + 1
  }

  get(collection: string, key: string): StoredObject | undefined {
    return this.#objects.get(`${collection} ${key}`)
  }

  list(collection: string, namespace?: string): readonly StoredObject[] {
    return [...this.#objects]
      .filter(([name]) => name.startsWith(`${collection} ${namespace === undefined ? '' : `${namespace}/`}`))
      .map(([, object]) => object)
  }

  set(collection: string, key: string, object: StoredObject): StoredObject {
    const before = this.get(collection, key)
    const version = this.version + 1
    const metadata = {
      uid: `uid-${collection}-${key}`,
      creationTimestamp: '2026-01-01T00:00:00Z',
      generation: 1,
      ...object.metadata,
      resourceVersion: String(version),
    }
    const stored = { ...object, metadata }
    this.#objects.set(`${collection} ${key}`, stored)
    this.#record({ type: before ? 'MODIFIED' : 'ADDED', collection, version, object: stored })
    return stored
  }

  delete(collection: string, key: string): StoredObject | undefined {
    const object = this.get(collection, key)
    if (!object) return undefined
    this.#objects.delete(`${collection} ${key}`)
    const version = this.version + 1
    const metadata = { ...object.metadata, resourceVersion: String(version) }
    this.#record({ type: 'DELETED', collection, version, object: { ...object, metadata } })
    return object
  }

  /** Resolves at the next change. */
  get changed(): Promise<void> {
    return this.#changed
  }

  #record(change: StoredChange): void {
    this.history.push(change)
    const wake = this.#wake
    this.#changed = this.#nextChange()
    wake?.()
  }

  #nextChange(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }
}

/** What a patch does to a document: objects are merged, everything else is replaced, and null removes a field. */
export const merged = (below: unknown, above: unknown): unknown => {
  if (!isRecord(below) || !isRecord(above)) return above
  const entries = Object.entries(above).map(([name, value]) => [name, merged(below[name], value)])
  return Object.fromEntries(
    Object.entries({ ...below, ...(Object.fromEntries(entries) as object) }).filter(
      ([, value]) => value !== null,
    ),
  )
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
