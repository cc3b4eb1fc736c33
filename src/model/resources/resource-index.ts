import type { Backend, Resources, RouteGroup, Service, Workload } from './resources.ts'

/** Finds resources by reference. */
export interface ResourceLookup {
  /** A backend by its key. */
  backend(key: string): Backend | undefined
  /** The service of a reference `namespace/hostname` or `namespace/name`. */
  service(name: string): Service | undefined
  /** The workloads of a service, in the order of the configuration. */
  workloadsOf(service: Service): readonly Workload[]
  /** A route group by its name. */
  routeGroup(name: string): RouteGroup | undefined
}

/** Resources by what others refer to them by. The first of several with one name is found. */
export class ResourceIndex implements ResourceLookup {
  readonly #backends: ReadonlyMap<string, Backend>
  readonly #services: ReadonlyMap<string, Service>
  readonly #workloads: ReadonlyMap<string, readonly Workload[]>
  readonly #routeGroups: ReadonlyMap<string, RouteGroup>

  /** @param previous Its lists of workloads are taken over where they are equal, so that they can be compared by identity. */
  constructor({ backends, services, workloads, routeGroups }: IndexedResources, previous?: ResourceIndex) {
    this.#backends = firstBy(backends, ({ key }) => [key])
    this.#services = firstBy(services, ({ namespace, hostname, name }) => [
      `${namespace}/${hostname}`,
      `${namespace}/${name}`,
    ])
    this.#workloads = workloadsByService(workloads, previous && previous.#workloads)
    this.#routeGroups = firstBy(routeGroups, ({ name }) => [name])
  }

  backend(key: string): Backend | undefined {
    return this.#backends.get(key)
  }

  service(name: string): Service | undefined {
    return this.#services.get(name)
  }

  workloadsOf({ namespace, hostname }: Service): readonly Workload[] {
    return this.#workloads.get(`${namespace}/${hostname}`) ?? none
  }

  routeGroup(name: string): RouteGroup | undefined {
    return this.#routeGroups.get(name)
  }
}

/** The index of a configuration, made once. */
export const resourceIndex = (resources: IndexedResources): ResourceIndex => {
  const known = indexes.get(resources) ?? new ResourceIndex(resources)
  indexes.set(resources, known)
  return known
}

/** Whether two lists have the same items, compared by identity, in the same order. */
export const sameItems = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a === b || (a.length === b.length && a.every((item, i) => item === b[i]))

type IndexedResources = Pick<Resources, 'backends' | 'services' | 'workloads' | 'routeGroups'>

const indexes = new WeakMap<IndexedResources, ResourceIndex>()

const none: readonly Workload[] = []

const firstBy = <T>(all: readonly T[], namesOf: (one: T) => readonly string[]): ReadonlyMap<string, T> => {
  const found = new Map<string, T>()
  for (const one of all) for (const name of namesOf(one)) if (!found.has(name)) found.set(name, one)
  return found
}

const workloadsByService = (
  workloads: readonly Workload[],
  previous: ReadonlyMap<string, readonly Workload[]> | undefined,
): ReadonlyMap<string, readonly Workload[]> => {
  const lists = new Map<string, readonly Workload[]>()
  const made = new Map<string, Workload[]>()
  for (const workload of workloads)
    for (const service of Object.keys(workload.services)) {
      const list = made.get(service)
      if (list) list.push(workload)
      else made.set(service, [workload])
    }
  for (const [service, list] of made) {
    const before = previous?.get(service)
    lists.set(service, before && sameItems(before, list) ? before : list)
  }
  return lists
}
