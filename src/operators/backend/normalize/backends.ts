import type { Backend, RouteGroup, Service, Workload } from '../../../model/resources/resources.ts'
import type * as File from '../../../config/schema/file-types.gen.ts'
import { child } from '../../../config/document/json-pointer.ts'
import { backendPolicies } from '../../../config/normalize/policies.ts'
import { type Context, originOf } from '../../../config/normalize/context.ts'
import { namedBackendKey, serviceName } from '../../../config/normalize/references.ts'
import { backendSpec, defaultPolicies } from '../../../config/normalize/backend-spec.ts'
import { httpRoute } from '../../route/normalize/route.ts'

/** The section `backends`. */
export function namedBackends(file: File.ConfigFile, context: Context): readonly Backend[] {
  return (file.backends ?? []).flatMap((source, index) => {
    const spec = backendSpec(source, context)
    const key = namedBackendKey(source.name)
    return spec === undefined
      ? []
      : [
          {
            key,
            name: source.name,
            namespace: '',
            spec,
            policies: { ...defaultPolicies(source), ...backendPolicies(source.policies, context) },
            origin: originOf(context, child('/backends', index)),
          },
        ]
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
    // Addresses may have a network prefix; there is only one network here.
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
    services: Object.fromEntries(
      Object.entries(source.services ?? {}).map(([name, ports]) => [serviceName(name), ports]),
    ),
    status: source.status?.toLowerCase() === 'unhealthy' ? 'unhealthy' : 'healthy',
  }))
}
