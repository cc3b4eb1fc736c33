import type { Bind, Listener, Resources, Route, TcpRoute } from '../../model/resources/resources.ts'
import { bindProtocol } from '../../streams/http/port/normalize/gateways.ts'
import type { NormalResource } from './normal-resource.ts'
import type { AcceptedResource } from './xds-state.ts'

/** The resources that a control plane contributes. */
export type AssembledResources = Pick<Resources, 'binds' | 'backends' | 'policies' | 'services' | 'workloads'>

/** Makes listeners of routes, and binds of listeners. Keeps what it made last, as far as it is still the same. */
export class ResourceAssembly {
  #listeners = new Map<string, Listener>()
  #binds = new Map<string, Bind>()

  /**
   * Resources without a parent are left out until it comes: updates may arrive in any order.
   *
   * @param accepted By name, in the order of their names: the order of arrival does not matter.
   */
  assemble(accepted: ReadonlyMap<string, AcceptedResource>): AssembledResources {
    const sorted = sortedByKind(accepted)
    const routes = byParent(sorted.route)
    const tcpRoutes = byParent(sorted.tcpRoute)
    const listeners = this.#assembleListeners(sorted.listener, routes, tcpRoutes)
    const binds = this.#assembleBinds(sorted.bind, listeners)
    return {
      binds,
      backends: [
        ...sorted.backend.flatMap(({ normal: { backend } }) => backend ?? []),
        ...sorted.inlineBackends,
      ],
      policies: sorted.policy.map(({ normal: { policy } }) => policy),
      services: sorted.service.map(({ normal: { service } }) => service),
      workloads: sorted.workload.map(({ normal: { workload } }) => workload),
    }
  }

  /** By the keys of their binds. */
  #assembleListeners(
    accepted: readonly AcceptedOf<'listener'>[],
    routes: ReadonlyMap<string, readonly Route[]>,
    tcpRoutes: ReadonlyMap<string, readonly TcpRoute[]>,
  ): ReadonlyMap<string, readonly Listener[]> {
    const next = new Map<string, Listener>()
    const byBind = new Map<string, Listener[]>()
    for (const { resource, normal } of accepted) {
      const { key } = resource
      const whole = {
        ...normal.listener,
        routes: routes.get(key) ?? [],
        tcpRoutes: tcpRoutes.get(key) ?? [],
      }
      const before = this.#listeners.get(key)
      const listener = before && isSame(before, whole) ? before : whole
      next.set(key, listener)
      for (const bind of resource.parents) collect(byBind, bind, listener)
    }
    this.#listeners = next
    return byBind
  }

  #assembleBinds(
    accepted: readonly AcceptedOf<'bind'>[],
    listeners: ReadonlyMap<string, readonly Listener[]>,
  ): readonly Bind[] {
    const next = new Map<string, Bind>()
    for (const { resource, normal } of accepted) {
      const own = listeners.get(resource.key) ?? []
      // A port that serves nobody stays closed, as one of a file without listeners.
      if (own.length === 0) continue
      const whole = { ...normal.bind, protocol: bindProtocol(own), listeners: own }
      const before = this.#binds.get(resource.key)
      next.set(resource.key, before && isSame(before, whole) ? before : whole)
    }
    this.#binds = next
    return [...next.values()]
  }
}

type AcceptedOf<Kind extends NormalResource['kind']> = AcceptedResource & {
  readonly normal: Extract<NormalResource, { kind: Kind }>
}

type Sorted = { readonly [Kind in NormalResource['kind']]: AcceptedOf<Kind>[] } & {
  readonly inlineBackends: Resources['backends'][number][]
}

const sortedByKind = (accepted: ReadonlyMap<string, AcceptedResource>): Sorted => {
  const sorted: Sorted = {
    bind: [],
    listener: [],
    route: [],
    tcpRoute: [],
    backend: [],
    policy: [],
    service: [],
    workload: [],
    inlineBackends: [],
  }
  for (const one of accepted.values()) {
    ;(sorted[one.normal.kind] as AcceptedResource[]).push(one)
    const { inlineBackends } = one.normal
    if (inlineBackends.length > 0) sorted.inlineBackends.push(...inlineBackends)
  }
  return sorted
}

const byParent = <R>(
  accepted: readonly { readonly normal: { readonly routes: ReadonlyMap<string, R> } }[],
): ReadonlyMap<string, readonly R[]> => {
  const found = new Map<string, R[]>()
  for (const { normal } of accepted)
    for (const [parent, route] of normal.routes) collect(found, parent, route)
  return found
}

const collect = <T>(lists: Map<string, T[]>, key: string, item: T): void => {
  const list = lists.get(key)
  if (list) list.push(item)
  else lists.set(key, [item])
}

/** Whether two objects have identical fields, and identical items in their lists. */
const isSame = <T extends object>(a: T, b: T): boolean => {
  const names = Object.keys(a) as (keyof T)[]
  if (names.length !== Object.keys(b).length) return false
  return names.every((name) => {
    const [one, other] = [a[name], b[name]]
    if (!Array.isArray(one) || !Array.isArray(other)) return one === other
    return one.length === other.length && one.every((item, index) => item === (other as unknown[])[index])
  })
}
