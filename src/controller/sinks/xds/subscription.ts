import { encodeResource } from './encode-resource.ts'
import type { DiscoveryResource } from '../../../protocols/xds/discovery.gen.ts'
import type { ReceivedRequest } from './received-request.ts'
import type { ResourceSet } from './resource-sets.ts'

/** Part of an update: what fits into one response. */
export interface UpdatePart {
  readonly resources: DiscoveryResource[]
  readonly removed: string[]
  /** Whether another part of the same update follows. */
  readonly more: boolean
}

/** What a client subscribes to with one request. */
type Subscribed = Pick<ReceivedRequest, 'resourceNamesSubscribe' | 'resourceNamesUnsubscribe'>

const EVERYTHING = '*'

/**
 * What one client has subscribed to, what it has, and what it must be sent. Changes that come while it is slow are
 * merged: its backlog is a set of names, never a list of updates.
 */
export class Subscription {
  #isWildcard: boolean
  readonly #names = new Set<string>()
  /** Versions that the client has, or has been sent. A refused one is not sent again before it changes. */
  readonly #sent: Map<string, string>
  readonly #pending = new Set<string>()
  /** Requested names without a response yet. A name without a resource gets a removal. */
  readonly #asked = new Set<string>()

  /**
   * @param first The first request of the type; what the client has is kept from here on. That is mostly all that there
   * is, and tens of thousands of resources: what the client has already is never pending.
   */
  constructor(first: Subscribed & Pick<ReceivedRequest, 'versions'>, set: ResourceSet) {
    this.#sent = first.versions
    const { resourceNamesSubscribe: names } = first
    this.#isWildcard = names.length === 0 || names.includes(EVERYTHING)
    this.#subscribe(names.filter((name) => !this.#sent.has(name)))
    for (const name of names) if (name !== EVERYTHING) this.#names.add(name)
    let known = 0
    if (this.#isWildcard)
      for (const [name, { version }] of set) {
        const sent = this.#sent.get(name)
        if (sent !== undefined) known++
        if (sent !== version) this.#pending.add(name)
      }
    // The names are looked at once more only if the client has others.
    if (known === this.#sent.size) return
    for (const [name, version] of this.#sent)
      if (!this.#covers(name) || set.get(name)?.version !== version) this.#pending.add(name)
  }

  /** Whether something must be sent. */
  get isPending(): boolean {
    return this.#pending.size > 0
  }

  /** Applies a later request. */
  update({ resourceNamesSubscribe, resourceNamesUnsubscribe }: Subscribed, set: ResourceSet): void {
    this.#subscribe(resourceNamesSubscribe)
    if (resourceNamesSubscribe.includes(EVERYTHING) && !this.#isWildcard) {
      this.#isWildcard = true
      for (const name of set.keys()) this.#pending.add(name)
    }
    for (const name of resourceNamesUnsubscribe) this.#unsubscribe(name)
  }

  /** Names of the gateway have changed. */
  changed(names: ReadonlySet<string>): void {
    for (const name of names) if (this.#covers(name) || this.#sent.has(name)) this.#pending.add(name)
  }

  /** The next part of what must be sent. */
  take(set: ResourceSet, limitBytes: number): UpdatePart {
    const part = { resources: [] as DiscoveryResource[], removed: [] as string[] }
    let bytes = 0
    for (const name of this.#pending) {
      if (bytes >= limitBytes) break
      this.#pending.delete(name)
      const isAsked = this.#asked.delete(name)
      const resource = this.#covers(name) ? set.get(name) : undefined
      if (resource === undefined) {
        if (!this.#sent.delete(name) && !isAsked) continue
        part.removed.push(name)
        bytes += name.length
      } else if (isAsked || this.#sent.get(name) !== resource.version) {
        const { message, bytes: size } = encodeResource(resource)
        part.resources.push(message)
        this.#sent.set(name, resource.version)
        bytes += size
      }
    }
    return { ...part, more: this.isPending }
  }

  #covers(name: string): boolean {
    return this.#isWildcard || this.#names.has(name)
  }

  #subscribe(names: readonly string[]): void {
    for (const name of names) {
      if (name === EVERYTHING) continue
      // A name that is subscribed to again is sent again: the client may have dropped it.
      this.#names.add(name)
      this.#pending.add(name)
      this.#asked.add(name)
    }
  }

  #unsubscribe(name: string): void {
    if (name === EVERYTHING) {
      // A list may have it very often.
      if (!this.#isWildcard) return
      this.#isWildcard = false
      for (const known of this.#sent.keys()) if (!this.#names.has(known)) this.#sent.delete(known)
    } else if (this.#names.delete(name) && !this.#isWildcard) {
      this.#sent.delete(name)
      this.#pending.delete(name)
      this.#asked.delete(name)
    }
  }
}
