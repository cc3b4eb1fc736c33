import type * as File from '../../../src/config/schema/file-types.gen.ts'
import { routeGroupOf, routeGroupParent, type XdsResource } from '../../../src/config/xds/xds-resource.ts'

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
        : { routes: byParent('route', key).map(routeOfFile) }
  const cyclic = cyclicGroups(resources)
  const routeOfFile = ({ key, model }: XdsResource) => ({
    ...withoutCycles(model as File.Route, cyclic),
    name: key,
  })
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
    routeGroups: [...groupsOf(resources).keys()].map((name) => ({
      name,
      routes: byParent('route', routeGroupParent(name)).map(routeOfFile),
    })),
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

/** The groups that the routes of each group delegate to; a file has to say that a group is empty. */
const groupsOf = (resources: readonly XdsResource[]): ReadonlyMap<string, readonly string[]> => {
  const leads = new Map<string, string[]>()
  for (const { kind, parents, model } of resources) {
    if (kind !== 'route') continue
    const next = (model.backends ?? []).flatMap((backend) =>
      'routeGroup' in backend ? [backend.routeGroup] : [],
    )
    for (const name of next) leads.set(name, leads.get(name) ?? [])
    for (const name of parents.flatMap((parent) => routeGroupOf(parent) ?? []))
      leads.set(name, [...(leads.get(name) ?? []), ...next])
  }
  return leads
}

/** Groups that lead to themselves: a file with one is refused, a control plane may send it. */
const cyclicGroups = (resources: readonly XdsResource[]): ReadonlySet<string> => {
  const leads = groupsOf(resources)
  const reached = (from: readonly string[]): ReadonlySet<string> => {
    const seen = new Set(from)
    for (const name of seen) for (const next of leads.get(name) ?? []) seen.add(next)
    return seen
  }
  return new Set([...leads].flatMap(([name, next]) => (reached(next).has(name) ? [name] : [])))
}

const withoutCycles = (route: File.Route, cyclic: ReadonlySet<string>): File.Route => ({
  ...route,
  ...(route.backends && {
    backends: route.backends.map((backend) =>
      'routeGroup' in backend && cyclic.has(backend.routeGroup) ? { invalid: null } : backend,
    ),
  }),
})

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
