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
  readonly #published = new Map<string, ResourceSet>()
  /** Set since the last publication; undefined for a gateway that is gone. */
  readonly #pending = new Map<string, readonly XdsResource[] | undefined>()
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

  /** Replaces the resources of a gateway; undefined if it is gone. Resources that stay the same object are not compared. */
  set(gateway: string, resources: readonly XdsResource[] | undefined): void {
    this.#pending.set(gateway, resources)
    if (this.#isSynced) this.#debounce.trigger()
  }

  /** The published resources of a gateway; empty for one that is not known. */
  of(gateway: string): ResourceSet {
    return this.#published.get(gateway) ?? NOTHING
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
      const resources = [...set].map(([name, { version }]) => ({ name, version }))
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
    const changes = [...this.#pending].map(([gateway, resources = []]) => {
      const before = this.of(gateway)
      const now = new Map(resources.map((resource) => [xdsName(resource), resource]))
      if (now.size === 0) this.#published.delete(gateway)
      else this.#published.set(gateway, now)
      return { gateway, names: changedNames(before, now) }
    })
    this.#pending.clear()
    for (const { gateway, names } of changes) {
      if (names.size === 0) continue
      for (const changed of [...(this.#followers.get(gateway) ?? [])]) changed(names)
    }
  }
}

const NOTHING: ResourceSet = new Map()

const changedNames = (before: ResourceSet, now: ResourceSet): ReadonlySet<string> => {
  const names = new Set<string>()
  for (const [name, resource] of now) {
    const known = before.get(name)
    if (known !== resource && known?.version !== resource.version) names.add(name)
  }
  for (const name of before.keys()) if (!now.has(name)) names.add(name)
  return names
}
