import type { ResourceKind } from '../../model/resources/resource-index.ts'
import type { RecordedLookup } from './recorded-lookup.ts'

/** A part that recorded what it looked up. */
interface LookingPart {
  readonly lookup: RecordedLookup
}

/**
 * Which parts have looked up a reference. To ask each of 2,000 parts whether it has costs 2 ms for every endpoint that
 * changes.
 */
export class AffectedParts<Part extends LookingPart> {
  #users = new Map<ResourceKind, Map<string, Part[]>>()
  #entries = 0
  /** Entries that were in use when they were last counted. */
  #used = 0

  /** Adds a part that has been compiled. */
  add(part: Part): void {
    for (const [kind, keys] of part.lookup.references) {
      const users = this.#users.get(kind) ?? new Map<string, Part[]>()
      this.#users.set(kind, users)
      for (const key of keys) {
        this.#entries++
        const known = users.get(key)
        if (known) known.push(part)
        else users.set(key, [part])
      }
    }
  }

  /** The parts that used one of the references, and perhaps parts that are in use no more. */
  of(changed: ReadonlyMap<ResourceKind, ReadonlySet<string>>): ReadonlySet<Part> {
    const found = new Set<Part>()
    for (const [kind, keys] of changed)
      for (const key of keys) for (const part of this.#users.get(kind)?.get(key) ?? []) found.add(part)
    return found
  }

  /** Forgets the parts that are in use no more, once they are as many as the others. */
  keepOnly(parts: readonly Part[]): void {
    if (this.#entries <= 2 * this.#used + parts.length) return
    this.#users = new Map()
    this.#entries = 0
    for (const part of new Set(parts)) this.add(part)
    this.#used = this.#entries
  }
}
