import type { Backend, RouteGroup, Service, Workload } from '../../model/resources.ts'
import type * as File from '../file-types.gen.ts'
import { child } from '../instance-path.ts'
import { backendPolicies } from './backend-policies.ts'
import type { Context } from './context.ts'
import { backendSpec, namedBackendKey } from './references.ts'
import { httpRoute } from './routes.ts'

/** The section `backends`. */
export function namedBackends(file: File.ConfigFile, context: Context): readonly Backend[] {
  return (file.backends ?? []).flatMap((source) => {
    const spec = backendSpec(source, context)
    const key = namedBackendKey(source.name)
    return spec === undefined
      ? []
      : [{ key, name: source.name, namespace: '', spec, policies: backendPolicies(source.policies, context) }]
  })
}

/** The section `routeGroups`. */
export function routeGroups(file: File.ConfigFile, context: Context): readonly RouteGroup[] {
  return (file.routeGroups ?? []).map(({ name, routes }, position) => {
    const pointer = child(child('/routeGroups', position), 'routes')
    const owner = `routeGroup/${name}`
    return {
      name,
      routes: routes.map((route, index) =>
        httpRoute(route, { owner, index, pointer: child(pointer, index) }, context),
      ),
    }
  })
}

/** The section `services`. */
export function services(file: File.ConfigFile): readonly Service[] {
  return (file.services ?? []).map(({ name, namespace, hostname, ports, vips }) => ({
    name,
    namespace: namespace ?? 'default',
    hostname: hostname.toLowerCase(),
    ports,
    // Addresses may name their network first; there is one network here.
    vips: (vips ?? []).map((vip) => vip.slice(vip.lastIndexOf('/') + 1)),
  }))
}

/** The section `workloads`. */
export function workloads(file: File.ConfigFile): readonly Workload[] {
  return (file.workloads ?? []).map((source) => ({
    uid: source.uid,
    name: source.name ?? source.uid,
    namespace: source.namespace ?? 'default',
    addresses: source.workloadIps ?? [],
    services: source.services ?? {},
    status: source.status?.toLowerCase() === 'unhealthy' ? 'unhealthy' : 'healthy',
  }))
}
