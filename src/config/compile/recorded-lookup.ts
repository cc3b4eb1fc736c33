import type { ResourceLookup } from '../../model/resources/resource-index.ts'
import type { Backend, RouteGroup, Service, Workload } from '../../model/resources/resources.ts'

/**
 * Finds resources for one compiled part, and records what was found: as long as the same is found, the part is
 * compiled from nothing that has changed.
 */
export class RecordedLookup implements ResourceLookup {
  #resources: ResourceLookup | undefined
  readonly #reads = new Map<string, Read>()

  constructor(resources: ResourceLookup) {
    this.#resources = resources
  }

  backend(key: string): Backend | undefined {
    return this.#read(`backend ${key}`, (resources) => resources.backend(key))
  }

  service(name: string): Service | undefined {
    return this.#read(`service ${name}`, (resources) => resources.service(name))
  }

  workloadsOf(service: Service): readonly Workload[] {
    const key = `workloads ${service.namespace}/${service.hostname}`
    return this.#read(key, (resources) => resources.workloadsOf(service))
  }

  routeGroup(name: string): RouteGroup | undefined {
    return this.#read(`route group ${name}`, (resources) => resources.routeGroup(name))
  }

  /** Whether each reference leads to the same object among other resources. */
  isCurrent(resources: ResourceLookup): boolean {
    for (const { found, of } of this.#reads.values()) if (of(resources) !== found) return false
    return true
  }

  /**
   * To be called when the part is compiled. Compiled parts outlive configurations, and what they hold must not keep all
   * resources of the one they were compiled from.
   */
  seal(): void {
    this.#resources = undefined
  }

  #read<T>(key: string, of: (resources: ResourceLookup) => T): T {
    const known = this.#reads.get(key)
    if (known) return known.found as T
    if (!this.#resources) throw new TypeError(`${key} was looked up after compiling`)
    const found = of(this.#resources)
    this.#reads.set(key, { found, of })
    return found
  }
}

interface Read {
  readonly found: unknown
  readonly of: (resources: ResourceLookup) => unknown
}
