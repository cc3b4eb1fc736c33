import { type ResourceTree, treeDifference } from '../../../config/xds/resource-tree.ts'
import { type XdsResource, xdsName } from '../../../config/xds/xds-resource.ts'
import { Debounce, type DebounceTimes } from './debounce.ts'

/** The resources of one gateway, by their names in xDS. */
export type ResourceSet = ReadonlyMap<string, XdsResource>

/** Called with the names that were added, changed or removed. */
export type ResourcesChanged = (names: ReadonlySet<string>) => void

/**
 * The resources of every gateway. What is set is published after a pause in the changes, so that a burst of them is
 * one update; all gateways are published at once.
 *
 * @example
 * sets.set('default/web', resources)
 * const release = sets.follow('default/web', (names) => push(names))
 */
export class ResourceSets {
  readonly #published = new Map<string, PublishedSet>()
  /** Set since the last publication; undefined for a gateway that is gone. */
  readonly #pending = new Map<string, ResourceTree | undefined>()
  readonly #followers = new Map<string, Set<ResourcesChanged>>()
  readonly #debounce: Debounce
  #withheld: ReadonlySet<string> = new Set()
  #isSynced = false

  constructor(times: DebounceTimes = { quietMs: 10, maxMs: 1_000 }) {
    this.#debounce = new Debounce(times, () => {
      this.#publish()
    })
  }

  /** Whether everything that was known at the start has been set. */
  get isSynced(): boolean {
    return this.#isSynced
  }

  /** Everything that was known at the start has been set: it is published at once. */
  synced(): void {
    this.#debounce.cancel()
    this.#publish()
    this.#isSynced = true
  }

  /**
   * Replaces the resources of a gateway, each of which has a name of its own; undefined if it is gone. Parts that stay the
   * same object are not looked at.
   */
  set(gateway: string, resources: ResourceTree | undefined): void {
    this.#pending.set(gateway, resources)
    if (this.#isSynced) this.#debounce.trigger()
  }

  /** The published resources of a gateway as they are now; empty for one that is not known. */
  of(gateway: string): ResourceSet {
    return this.#published.get(gateway)?.resources ?? NOTHING
  }

  /** Gateways whose resources are not known. Their proxies keep the last ones: an empty set would remove their listeners. */
  withhold(gateways: ReadonlySet<string>): void {
    this.#withheld = gateways
  }

  /** Whether the resources of a gateway are not known. */
  isWithheld(gateway: string): boolean {
    return this.#withheld.has(gateway)
  }

  /** The published resources of all gateways, by kind and key with their versions: contents may have secrets. */
  report(): Readonly<Record<string, readonly { readonly name: string; readonly version: string }[]>> {
    const gateways = [...this.#published].map(([gateway, set]) => {
      const resources = [...set.resources].map(([name, { version }]) => ({ name, version }))
      return [gateway, resources] as const
    })
    return Object.fromEntries(gateways)
  }

  /** Calls back for each published change, until released. */
  follow(gateway: string, changed: ResourcesChanged): () => void {
    const followers = this.#followers.get(gateway) ?? new Set()
    this.#followers.set(gateway, followers.add(changed))
    return () => {
      followers.delete(changed)
      if (followers.size === 0 && this.#followers.get(gateway) === followers) this.#followers.delete(gateway)
    }
  }

  /** Publishes nothing more. */
  close(): void {
    this.#debounce.cancel()
  }

  #publish(): void {
    const changes = [...this.#pending].map(([gateway, tree = []]) => {
      const set = this.#published.get(gateway) ?? new PublishedSet()
      const names = set.replace(tree)
      if (set.resources.size === 0) this.#published.delete(gateway)
      else this.#published.set(gateway, set)
      return { gateway, names }
    })
    this.#pending.clear()
    for (const { gateway, names } of changes) {
      if (names.size === 0) continue
      for (const changed of [...(this.#followers.get(gateway) ?? [])]) changed(names)
    }
  }
}

const NOTHING: ResourceSet = new Map()

/** The resources of one gateway: changed where they change, since a new map of thousands for each endpoint costs 10 ms. */
class PublishedSet {
  readonly #resources = new Map<string, XdsResource>()
  #tree: ResourceTree = []

  get resources(): ResourceSet {
    return this.#resources
  }

  /** Returns the names whose contents differ from those before. */
  replace(tree: ResourceTree): ReadonlySet<string> {
    const { removed, added } = treeDifference(this.#tree, tree)
    this.#tree = tree
    const now = new Map(added.map((resource) => [xdsName(resource), resource]))
    const names = new Set<string>()
    for (const resource of removed) {
      const name = xdsName(resource)
      if (now.has(name)) continue
      this.#resources.delete(name)
      names.add(name)
    }
    for (const [name, resource] of now) {
      if (this.#resources.get(name)?.version !== resource.version) names.add(name)
      this.#resources.set(name, resource)
    }
    return names
  }
}
