import type { XdsResource } from '../../../src/config/xds/xds-resource.ts'

/** A configuration file with the contents of resources: what is valid there is valid for a proxy. */
export const goldenConfig = (resources: readonly XdsResource[]): string => {
  const byParent = (kind: XdsResource['kind'], parent: string) =>
    resources.filter((resource) => resource.kind === kind && resource.parents.includes(parent))
  const models = (kind: XdsResource['kind']) =>
    resources.filter((resource) => resource.kind === kind).map(({ model }) => model)
  // A file has to say that there are none, and names rules; resources have keys.
  const routes = ({ key, model }: XdsResource) =>
    'protocol' in model && (model.protocol === 'TCP' || model.protocol === 'TLS')
      ? { tcpRoutes: byParent('tcpRoute', key).map((route) => route.model) }
      : { routes: byParent('route', key).map(namedRule) }
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
    backends: models('backend'),
    policies: models('policy').map((model, index) => ({
      ...model,
      name: { name: `policy-${String(index)}` },
    })),
    services: models('service'),
    workloads: models('workload'),
  })
}

const namedRule = ({ key, model }: XdsResource): object => ({ ruleName: key, ...model })
