import { sameItems } from '../../model/resources/list-difference.ts'
import type {
  Backend,
  Bind,
  Listener,
  Resources,
  Route,
  RouteGroup,
  TargetedPolicy,
  TcpRoute,
  UdpRoute,
} from '../../model/resources/resources.ts'
import type { Service, Workload } from '../../model/resources/service.ts'
import { bindProtocol, byTransport, udpBindKey } from '../../streams/http/port/normalize/gateways.ts'
import type { AcceptedResource } from './accepted-resource.ts'
import type { NormalResource } from './normal-resource.ts'
import { compareNames, type NamedChange, SortedByName } from './sorted-by-name.ts'
import { routeGroupOf, routeGroupParent } from './xds-resource.ts'

/** The resources that a control plane contributes. */
export type AssembledResources = Pick<
  Resources,
  'binds' | 'backends' | 'policies' | 'routeGroups' | 'services' | 'workloads'
>

/** A resource that is added, changed or removed. */
export interface AcceptedChange extends NamedChange<AcceptedResource> {
  readonly before: AcceptedResource | undefined
}

/**
 * Makes listeners of routes, and binds of listeners. Everything is in the order of the names, whatever the order of
 * arrival. A change costs copies of the lists that it is in; lists without a change stay the same objects.
 */
export class ResourceAssembly {
  readonly #bySort: BySort = {
    bind: new SortedByName<AcceptedOf<'bind'>>(),
    listener: new SortedByName<AcceptedOf<'listener'>>(),
    backend: new SortedByName<Backend>(),
    policy: new SortedByName<TargetedPolicy>(),
    service: new SortedByName<Service>(),
    workload: new SortedByName<Workload>(),
  }
  readonly #routes = new ByParent<Route>()
  readonly #tcpRoutes = new ByParent<TcpRoute>()
  readonly #udpRoutes = new ByParent<UdpRoute>()
  readonly #inlineBackends = new SortedByName<readonly Backend[]>()
  #backends: readonly Backend[] = []
  #listeners = new Map<string, Made<Listener>>()
  #binds = new Map<string, Made<readonly Bind[]>>()
  #routeGroups: readonly RouteGroup[] = []

  /** Resources without a parent are left out until it comes: updates may arrive in any order. */
  assemble(): AssembledResources {
    const { policy, service, workload } = this.#bySort
    return {
      binds: this.#assembleBinds(this.#assembleListeners()),
      backends: this.#backends,
      policies: policy.values,
      routeGroups: this.#routeGroups,
      services: service.values,
      workloads: workload.values,
    }
  }

  /**
   * Applies changes, one a step. Until the last step, some are there and others are not.
   *
   * @param changes In the order of the names.
   */
  *update(changes: readonly AcceptedChange[]): Generator<undefined, void> {
    for (const [kind, ofKind] of yield* byKind(changes)) {
      if (kind === 'route') this.#updateGroups(yield* this.#routes.update(ofKind))
      else if (kind === 'tcpRoute') yield* this.#tcpRoutes.update(ofKind)
      else if (kind === 'udpRoute') yield* this.#udpRoutes.update(ofKind)
      else yield* (this.#bySort[kind] as SortedByName<unknown>).update(ofKind.map(listedChange))
    }
    const inline = changes.filter(hasInlineBackends)
    if (inline.length > 0) yield* this.#inlineBackends.update(inline.map(inlineChange))
    const { backend } = this.#bySort
    const isOfBackends = ({ after, before }: AcceptedChange) => (after ?? before)?.normal.kind === 'backend'
    if (inline.length > 0 || changes.some(isOfBackends))
      this.#backends = [...backend.values, ...this.#inlineBackends.values.flat()]
  }

  /** The names of the binds that have a key in the form of the model. */
  bindsAt(key: string): readonly string[] {
    return this.#bySort.bind.values.flatMap(({ name, normal }) =>
      [normal.bind.key, udpBindKey(normal.bind.key)].includes(key) ? [name] : [],
    )
  }

  #updateGroups(touched: readonly string[]): void {
    const changes = touched.flatMap((parent) => routeGroupOf(parent) ?? [])
    if (changes.length === 0) return
    const groups = new Map(this.#routeGroups.map((group) => [group.name, group]))
    for (const name of changes) {
      const routes = this.#routes.of(routeGroupParent(name))
      if (routes.length === 0) groups.delete(name)
      else groups.set(name, { name, routes })
    }
    this.#routeGroups = [...groups.values()].sort(compareNames)
  }

  /** By the keys of their binds. */
  #assembleListeners(): ReadonlyMap<string, readonly Listener[]> {
    const next = new Map<string, Made<Listener>>()
    const byBind = new Map<string, Listener[]>()
    for (const { key, parents, normal } of this.#bySort.listener.values) {
      const [routes, tcpRoutes] = [this.#routes.of(key), this.#tcpRoutes.of(key)]
      const udpRoutes = this.#udpRoutes.of(key)
      const made = takenOr(this.#listeners.get(key), [normal, routes, tcpRoutes, udpRoutes], () => ({
        ...normal.listener,
        routes,
        tcpRoutes,
        ...(normal.listener.udpRoutes && { udpRoutes }),
      }))
      next.set(key, made)
      for (const bind of parents) collect(byBind, bind, made.whole)
    }
    this.#listeners = next
    return byBind
  }

  #assembleBinds(byBind: ReadonlyMap<string, readonly Listener[]>): readonly Bind[] {
    const next = new Map<string, Made<readonly Bind[]>>()
    for (const { key, normal } of this.#bySort.bind.values) {
      const listeners = byBind.get(key) ?? []
      // A port that serves nobody stays closed, as one of a file without listeners.
      if (listeners.length === 0) continue
      const made = takenOr(this.#binds.get(key), [normal, ...listeners], () =>
        byTransport({ ...normal.bind, protocol: bindProtocol(listeners), listeners }),
      )
      next.set(key, made)
    }
    this.#binds = next
    return [...next.values()].flatMap(({ whole }) => whole)
  }
}

type AcceptedOf<Kind extends NormalResource['kind']> = AcceptedResource & {
  readonly normal: Extract<NormalResource, { kind: Kind }>
}

/** Binds and listeners as they were accepted, since they are put together; the others in the form of the model. */
interface BySort {
  readonly bind: SortedByName<AcceptedOf<'bind'>>
  readonly listener: SortedByName<AcceptedOf<'listener'>>
  readonly backend: SortedByName<Backend>
  readonly policy: SortedByName<TargetedPolicy>
  readonly service: SortedByName<Service>
  readonly workload: SortedByName<Workload>
}

/** What was put together, and of what. */
interface Made<T> {
  readonly parts: readonly unknown[]
  readonly whole: T
}

const takenOr = <T>(before: Made<T> | undefined, parts: readonly unknown[], make: () => T): Made<T> =>
  before && sameItems(before.parts, parts) ? before : { parts, whole: make() }

/** Routes by the keys of their listeners, in the order of their names. */
class ByParent<R> {
  readonly #lists = new Map<string, SortedByName<R>>()

  of(parent: string): readonly R[] {
    return this.#lists.get(parent)?.values ?? none
  }

  /** Returns the parents whose routes have changed. */
  *update(changes: readonly AcceptedChange[]): Generator<undefined, readonly string[]> {
    const touched = new Map<string, NamedChange<R>[]>()
    for (const { name, before, after } of changes) {
      const routes = routesOf<R>(after)
      for (const [parent, route] of routes) collect(touched, parent, { name, after: route })
      for (const parent of routesOf<R>(before).keys())
        if (!routes.has(parent)) collect(touched, parent, { name, after: undefined })
      yield
    }
    for (const [parent, own] of touched) {
      const list = this.#lists.get(parent) ?? new SortedByName<R>()
      yield* list.update(own)
      if (list.values.length === 0) this.#lists.delete(parent)
      else this.#lists.set(parent, list)
    }
    return [...touched.keys()]
  }
}

/** Routes of one kind: kinds never share a list. */
const routesOf = <R>(accepted: AcceptedResource | undefined): ReadonlyMap<string, R> => {
  const normal = accepted?.normal
  return normal && 'routes' in normal ? (normal.routes as ReadonlyMap<string, never>) : nowhere
}

const listedChange = ({ name, after }: AcceptedChange): NamedChange<unknown> => ({
  name,
  after: after && listed(after),
})

/** What the list of its kind has of a resource. */
const listed = (accepted: AcceptedResource): unknown => {
  const { normal } = accepted
  switch (normal.kind) {
    case 'backend':
      return normal.backend
    case 'policy':
      return normal.policy
    case 'service':
      return normal.service
    case 'workload':
      return normal.workload
    default:
      return accepted
  }
}

const hasInlineBackends = ({ before, after }: AcceptedChange): boolean =>
  (before !== undefined && before.normal.inlineBackends.length > 0) ||
  (after !== undefined && after.normal.inlineBackends.length > 0)

const inlineChange = ({ name, after }: AcceptedChange): NamedChange<readonly Backend[]> => {
  const backends = after?.normal.inlineBackends ?? none
  return { name, after: backends.length > 0 ? backends : undefined }
}

function* byKind(
  changes: readonly AcceptedChange[],
): Generator<undefined, ReadonlyMap<NormalResource['kind'], AcceptedChange[]>> {
  const found = new Map<NormalResource['kind'], AcceptedChange[]>()
  for (const change of changes) {
    const accepted = change.after ?? change.before
    if (accepted) collect(found, accepted.normal.kind, change)
    yield
  }
  return found
}

const collect = <K, T>(lists: Map<K, T[]>, key: K, item: T): void => {
  const list = lists.get(key)
  if (list) list.push(item)
  else lists.set(key, [item])
}

const none: readonly never[] = []

const nowhere = new Map<string, never>()
