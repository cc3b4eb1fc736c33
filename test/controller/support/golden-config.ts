import type * as File from '../../../src/config/schema/file-types.gen.ts'
import type { XdsResource } from '../../../src/config/xds/xds-resource.ts'

/** A configuration file with the contents of resources: what is valid there is valid for a proxy. */
export const goldenConfig = (resources: readonly XdsResource[]): string => {
  const byParent = (kind: XdsResource['kind'], parent: string) =>
    resources.filter((resource) => resource.kind === kind && resource.parents.includes(parent))
  const models = (kind: XdsResource['kind']) =>
    resources.filter((resource) => resource.kind === kind).map(({ model }) => model)
  // A file has to say that there are none.
  const routes = ({ key, model }: XdsResource) =>
    'protocol' in model && model.protocol === 'UDP'
      ? { udpRoutes: byParent('udpRoute', key).map((route) => route.model) }
      : 'protocol' in model && (model.protocol === 'TCP' || model.protocol === 'TLS')
        ? { tcpRoutes: byParent('tcpRoute', key).map((route) => route.model) }
        : { routes: byParent('route', key).map((route) => ({ ...route.model, name: route.key })) }
  const binds = resources
    .filter(({ kind }) => kind === 'bind')
    .map((bind) => ({
      ...bind.model,
      listeners: byParent('listener', bind.key).map((listener) => ({
        ...listener.model,
        ...routes(listener),
      })),
    }))
  return JSON.stringify({
    binds,
    // A file has one section of models: those of routes have backends that stand in for them.
    backends: [
      ...models('backend'),
      ...resources
        .filter(({ kind, parents }) => kind === 'models' && parents.length === 0)
        .map(({ key }) => ({ name: `models/${key}`, ai: { name: 'models', provider: { mock: {} } } })),
    ],
    policies: resources
      .filter(({ kind }) => kind === 'policy')
      .map(({ key, model }) => ({
        ...model,
        name: { name: key },
        ...('target' in model ? { target: renamed(model.target, resources) } : {}),
      })),
    services: models('service'),
    workloads: models('workload'),
  })
}

/** Routes have the names of their resources here, since a file names each rule once. */
const renamed = (target: File.PolicyTarget, resources: readonly XdsResource[]): File.PolicyTarget => {
  const { route } = target
  if (!route) return target
  const named = resources.find(
    ({ kind, model }) =>
      kind === 'route' &&
      model.name === route.name &&
      model.namespace === route.namespace &&
      (route.ruleName === undefined || model.ruleName === route.ruleName),
  )
  return { route: { ...route, name: named?.key ?? route.name } }
}
