import { differingItems, listDifference, sameItems } from './list-difference.ts'
import type { Backend, Resources, RouteGroup } from './resources.ts'
import type { Service, Workload } from './service.ts'

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
  /** Where this gateway runs. */
  readonly location: Resources['location']
}

/** The kinds of resources that are found by reference. */
export type ResourceKind = 'backends' | 'services' | 'workloads' | 'routeGroups'

/** Resources by what others refer to them by. The first of several with one name is found. */
export class ResourceIndex implements ResourceLookup {
  /** The references that lead to something else than in the index before; empty if there is none. */
  readonly changed: ReadonlyMap<ResourceKind, ReadonlySet<string>>
  readonly location: Resources['location']
  readonly #resources: IndexedResources
  readonly #byReference: ByReference

  /** @param before Taken over where nothing has changed, down to the lists of workloads. */
  constructor(resources: IndexedResources, before?: ResourceIndex) {
    const { backends, services, workloads, routeGroups } = resources
    this.location = resources.location
    this.#resources = { backends, services, workloads, routeGroups }
    const last = before && before.#byReference
    const isNew = (kind: ResourceKind): boolean =>
      !before || !sameItems(resources[kind], before.#resources[kind])
    const take = <K extends ResourceKind>(kind: K, make: () => ByReference[K]): ByReference[K] =>
      !last || isNew(kind) ? make() : last[kind]
    const made: ByReference = {
      backends: take('backends', () => firstBy(backends, ({ key }) => [key])),
      services: take('services', () => firstBy(services, serviceNames)),
      workloads: take('workloads', () =>
        workloadsByService(
          workloads,
          before && { workloads: before.#resources.workloads, byService: before.#byReference.workloads },
        ),
      ),
      routeGroups: take('routeGroups', () => firstBy(routeGroups, ({ name }) => [name])),
    }
    this.#byReference = made
    this.changed = new Map(
      last ? kinds.filter(isNew).map((kind) => [kind, differences(last[kind], made[kind])]) : [],
    )
  }

  backend(key: string): Backend | undefined {
    return this.#byReference.backends.get(key)
  }

  service(name: string): Service | undefined {
    return this.#byReference.services.get(name)
  }

  workloadsOf(service: Service): readonly Workload[] {
    return this.workloadsAt(workloadServiceKey(service))
  }

  /** The same by `namespace/hostname`. */
  workloadsAt(key: string): readonly Workload[] {
    return this.#byReference.workloads.get(key) ?? none
  }

  routeGroup(name: string): RouteGroup | undefined {
    return this.#byReference.routeGroups.get(name)
  }
}

/** The name of a service in workloads. */
export const workloadServiceKey = ({ namespace, hostname }: Service): string => `${namespace}/${hostname}`

/** The index of a configuration, made once. */
export const resourceIndex = (resources: IndexedResources): ResourceIndex => {
  const known = indexes.get(resources) ?? new ResourceIndex(resources)
  indexes.set(resources, known)
  return known
}

/** What each reference leads to. */
interface ByReference {
  readonly backends: ReadonlyMap<string, Backend>
  readonly services: ReadonlyMap<string, Service>
  readonly workloads: WorkloadsByService
  readonly routeGroups: ReadonlyMap<string, RouteGroup>
}

type IndexedResources = Pick<Resources, ResourceKind | 'location'>

const kinds: readonly ResourceKind[] = ['backends', 'services', 'workloads', 'routeGroups']

const indexes = new WeakMap<IndexedResources, ResourceIndex>()

const none: readonly Workload[] = []

const firstBy = <T>(all: readonly T[], namesOf: (one: T) => readonly string[]): ReadonlyMap<string, T> => {
  const found = new Map<string, T>()
  for (const one of all) for (const name of namesOf(one)) if (!found.has(name)) found.set(name, one)
  return found
}

const serviceNames = (service: Service): readonly string[] => [
  workloadServiceKey(service),
  `${service.namespace}/${service.name}`,
]

const differences = (
  before: ReadonlyMap<string, unknown>,
  now: ReadonlyMap<string, unknown>,
): ReadonlySet<string> => {
  const found = new Set<string>()
  for (const [name, one] of now) if (before.get(name) !== one) found.add(name)
  for (const name of before.keys()) if (!now.has(name)) found.add(name)
  return found
}

const workloadsByService = (
  workloads: readonly Workload[],
  before: { readonly workloads: readonly Workload[]; readonly byService: WorkloadsByService } | undefined,
): WorkloadsByService => {
  if (!before) return groupedByService(workloads)
  const touched = new Set(
    differingItems(before.workloads, workloads).flatMap(({ services }) => Object.keys(services)),
  )
  const changedIn = partsOf(before.workloads, workloads)
  const next = new Map(before.byService)
  // Each costs a look at some of the workloads; of many services, a look at all of them costs less.
  const found = touched.size > 16 ? groupedByService(workloads) : undefined
  for (const service of touched) {
    const known = next.get(service) ?? none
    const list = found ? (found.get(service) ?? none) : changedIn(service, known)
    if (list.length === 0) next.delete(service)
    else if (!sameItems(known, list)) next.set(service, list)
  }
  return next
}

/** The workloads of a service now, by those that it had before. */
const partsOf = (before: readonly Workload[], now: readonly Workload[]) => {
  const { start, endBefore, endNow } = listDifference(before, now)
  const gone = new Set(before.slice(start, endBefore))
  const come = now.slice(start, endNow)
  return (service: string, known: readonly Workload[]): readonly Workload[] => {
    const has = ({ services }: Workload): boolean => Object.hasOwn(services, service)
    const left = known.filter((workload) => !gone.has(workload))
    // Those before the part that differs, then the others: mostly a service has its workloads side by side.
    const last = now.slice(0, start).findLast(has)
    const position = last === undefined ? 0 : left.indexOf(last) + 1
    return [...left.slice(0, position), ...come.filter(has), ...left.slice(position)]
  }
}

const groupedByService = (workloads: readonly Workload[]): WorkloadsByService => {
  const found = new Map<string, Workload[]>()
  for (const workload of workloads)
    for (const service in workload.services) {
      const list = found.get(service)
      if (list) list.push(workload)
      else found.set(service, [workload])
    }
  return found
}

/** By `namespace/hostname` of the service. */
type WorkloadsByService = ReadonlyMap<string, readonly Workload[]>
