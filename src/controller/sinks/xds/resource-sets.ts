import { type ResourceTree, treeDifference } from '../../../config/xds/resource-tree.ts'
import { type XdsResource, xdsName } from '../../../config/xds/xds-resource.ts'
import { Debounce, type DebounceTimes } from './debounce.ts'

/** The resources of one role, by their names in xDS. */
export type ResourceSet = ReadonlyMap<string, XdsResource>

/** Called with the names that were added, changed or removed. */
export type ResourcesChanged = (names: ReadonlySet<string>) => void

/**
 * The resources of every role: of the proxies of a Gateway. What is set is published after a pause in the changes, so
 * that a burst of them is one update; all roles are published at once.
 *
 * @example
 * sets.set('default/web', resources)
 * const release = sets.follow('default/web', (names) => push(names))
 */
export class ResourceSets {
  readonly #published = new Map<string, PublishedSet>()
  /** Set since the last publication; undefined for a role that is gone. */
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
   * Replaces the resources of a role, each of which has a name of its own; undefined if it is gone. Parts that stay the
   * same object are not looked at.
   */
  set(role: string, resources: ResourceTree | undefined): void {
    this.#pending.set(role, resources)
    if (this.#isSynced) this.#debounce.trigger()
  }

  /** The published resources of a role as they are now; empty for one that is not known. */
  of(role: string): ResourceSet {
    return this.#published.get(role)?.resources ?? NOTHING
  }

  /** Roles whose resources are not known. Their proxies keep the last ones: an empty set would remove their listeners. */
  withhold(roles: ReadonlySet<string>): void {
    this.#withheld = roles
  }

  /** Whether the resources of a role are not known. */
  isWithheld(role: string): boolean {
    return this.#withheld.has(role)
  }

  /** The published resources of all roles, by kind and key with their versions: contents may have secrets. */
  report(): Readonly<Record<string, readonly { readonly name: string; readonly version: string }[]>> {
    const roles = [...this.#published].map(([role, set]) => {
      const resources = [...set.resources].map(([name, { version }]) => ({ name, version }))
      return [role, resources] as const
    })
    return Object.fromEntries(roles)
  }

  /** Calls back for each published change, until released. */
  follow(role: string, changed: ResourcesChanged): () => void {
    const followers = this.#followers.get(role) ?? new Set()
    this.#followers.set(role, followers.add(changed))
    return () => {
      followers.delete(changed)
      if (followers.size === 0 && this.#followers.get(role) === followers) this.#followers.delete(role)
    }
  }

  /** Publishes nothing more. */
  close(): void {
    this.#debounce.cancel()
  }

  #publish(): void {
    const changes = [...this.#pending].map(([role, tree = []]) => {
      const set = this.#published.get(role) ?? new PublishedSet()
      const names = set.replace(tree)
      if (set.resources.size === 0) this.#published.delete(role)
      else this.#published.set(role, set)
      return { role, names }
    })
    this.#pending.clear()
    for (const { role, names } of changes) {
      if (names.size === 0) continue
      for (const changed of [...(this.#followers.get(role) ?? [])]) changed(names)
    }
  }
}

const NOTHING: ResourceSet = new Map()

/** The resources of one role: changed where they change, since a new map of thousands for each endpoint costs 10 ms. */
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
