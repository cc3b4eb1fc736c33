import {
  type ResourceIndex,
  type ResourceKind,
  type ResourceLookup,
  workloadServiceKey,
} from '../../model/resources/resource-index.ts'
import type { Backend, Resources, RouteGroup } from '../../model/resources/resources.ts'
import type { Service, Workload } from '../../model/resources/service.ts'

/**
 * Finds resources for one compiled part, and records what was found: as long as the same is found, the part is
 * compiled from nothing that has changed.
 */
export class RecordedLookup implements ResourceLookup {
  /** Not recorded: another one makes another basis of compiling. */
  readonly location: Resources['location']
  #index: ResourceIndex | undefined
  readonly #found = new Map<ResourceKind, Map<string, unknown>>()

  constructor(index: ResourceIndex) {
    this.location = index.location
    this.#index = index
  }

  backend(key: string): Backend | undefined {
    return this.#read('backends', key)
  }

  service(name: string): Service | undefined {
    return this.#read('services', name)
  }

  workloadsOf(service: Service): readonly Workload[] {
    return this.#read('workloads', workloadServiceKey(service))
  }

  routeGroup(name: string): RouteGroup | undefined {
    return this.#read('routeGroups', name)
  }

  /** What was looked up. */
  get references(): readonly (readonly [kind: ResourceKind, keys: readonly string[]])[] {
    return [...this.#found].map(([kind, found]) => [kind, [...found.keys()]])
  }

  /**
   * To be called when the part is compiled. Compiled parts outlive configurations, and what they hold must not keep all
   * resources of the one they were compiled from.
   */
  seal(): void {
    this.#index = undefined
  }

  #read<K extends ResourceKind>(kind: K, key: string): ReturnType<Readers[K]> {
    const known = this.#found.get(kind)
    if (known?.has(key)) return known.get(key) as ReturnType<Readers[K]>
    if (!this.#index) throw new TypeError(`${key} was looked up after compiling`)
    const found = readers[kind](this.#index, key)
    if (known) known.set(key, found)
    else this.#found.set(kind, new Map([[key, found]]))
    return found as ReturnType<Readers[K]>
  }
}

const readers = {
  backends: (index: ResourceIndex, key: string) => index.backend(key),
  services: (index: ResourceIndex, name: string) => index.service(name),
  workloads: (index: ResourceIndex, key: string) => index.workloadsAt(key),
  routeGroups: (index: ResourceIndex, name: string) => index.routeGroup(name),
}

type Readers = typeof readers
