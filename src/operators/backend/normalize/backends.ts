import type { Backend, RouteGroup } from '../../../model/resources/resources.ts'
import type * as File from '../../../config/schema/file-types.gen.ts'
import { child } from '../../../config/document/json-pointer.ts'
import { backendPolicies } from '../../../config/normalize/policies.ts'
import { type Context, originOf } from '../../../config/normalize/context.ts'
import { namedBackendKey } from '../../../config/normalize/references.ts'
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
