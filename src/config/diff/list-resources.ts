import { dumpBackend, dumpPolicy, dumpWorkload, serviceDump } from '../dump/backend.ts'
import { dumpBind, dumpListener, dumpRoute, dumpTcpRoute, dumpUdpRoute } from '../dump/bind.ts'
import { noStatus } from '../dump/endpoints.ts'
import { dumpModel } from '../dump/llm.ts'
import { type Hiding, printed, type Printed } from '../dump/value.ts'
import type { ProcessSettings } from '../../model/resources/process-settings.ts'
import type { Backend, Bind, Listener, Resources, Route } from '../../model/resources/resources.ts'

/** A part of a configuration that is added, removed or changed as one. */
export interface ListedResource {
  readonly kind: string
  /** Unique for its kind; the key of `/config_dump`. */
  readonly name: string
  /** With its secrets, to compare. */
  readonly value: unknown
  /** As `/config_dump` prints it. */
  readonly print: (hiding: Hiding) => unknown
}

/**
 * The resources of a configuration, one after the other. Large ones come without the parts that are listed themselves,
 * so that none takes long to compare.
 */
export function* listResources(resources: Resources, settings: ProcessSettings): Generator<ListedResource> {
  for (const bind of resources.binds) yield* partsOfBind(bind)
  for (const { name, routes } of resources.routeGroups)
    for (const route of routes)
      yield listed('route', `${name}/${route.key}`, route, (h) => dumpRoute(route, h))
  for (const policy of resources.policies) {
    const name = `${policy.namespace}/${policy.name}`
    yield listed('policy', name, policy, (hiding) => dumpPolicy(policy, hiding))
  }
  for (const backend of resources.backends) yield* partsOfBackend(backend)
  for (const service of resources.services) {
    const name = `${service.namespace}/${service.hostname}`
    yield listed('service', name, service, () => serviceDump(noStatus, [])(service))
  }
  for (const workload of resources.workloads)
    yield listed('workload', workload.uid, workload, () => dumpWorkload(workload))
  const { frontend, functions, modelCatalog, unknownPrice, cachesAsProvider, bedrockBetas } = resources
  yield section('frontendPolicies', frontend)
  yield section('customFunctions', functions)
  yield section('llm', { unknownPrice, cachesAsProvider, bedrockBetas })
  for (const [name, prices] of Object.entries(modelCatalog?.providers ?? {}))
    yield listed('modelCatalog', name, prices, () => ({ models: Object.keys(prices.models).length }))
  for (const [name, value] of Object.entries(settings)) yield section(`config.${name}`, value)
}

function* partsOfBind(bind: Bind): Generator<ListedResource> {
  const own: Bind = { ...bind, listeners: [] }
  yield listed('bind', bind.key, own, (hiding) => without(dumpBind(own, hiding), 'listeners'))
  for (const listener of bind.listeners) {
    const { udpRoutes = [], ...others } = listener
    const bare: Listener = { ...others, routes: [], tcpRoutes: [] }
    yield listed('listener', listener.key, bare, (hiding) => dumpListener(bare, hiding))
    for (const route of listener.routes) yield routeOf(route)
    for (const route of listener.tcpRoutes)
      yield listed('tcpRoute', route.key, route, (hiding) => dumpTcpRoute(route, hiding))
    for (const route of udpRoutes)
      yield listed('udpRoute', route.key, route, (hiding) => dumpUdpRoute(route, hiding))
  }
}

function* partsOfBackend(backend: Backend): Generator<ListedResource> {
  const { key, spec } = backend
  if (spec.type !== 'llm' || spec.choice.by !== 'model') {
    yield listed('backend', key, backend, (hiding) => dumpBackend(backend, hiding, noStatus))
    return
  }
  const { models } = spec.choice
  const bare: Backend = { ...backend, spec: { ...spec, choice: { ...spec.choice, models: [] } } }
  yield listed('backend', key, bare, (hiding) => dumpBackend(bare, hiding, noStatus))
  // Several models may have one name, for different requests.
  const seen = new Map<string, number>()
  for (const model of models) {
    const before = seen.get(model.name) ?? 0
    seen.set(model.name, before + 1)
    const name = `${key}/${model.name}${before === 0 ? '' : `#${String(before + 1)}`}`
    yield listed('model', name, model, (hiding) => dumpModel(model, {}, hiding))
  }
}

const routeOf = (route: Route): ListedResource =>
  listed('route', route.key, route, (hiding) => dumpRoute(route, hiding))

const section = (name: string, value: unknown): ListedResource =>
  listed('section', name, value, (hiding) =>
    Array.isArray(value) && value.length === 0 ? [] : printed(value, hiding),
  )

const listed = (
  kind: string,
  name: string,
  value: unknown,
  print: (hiding: Hiding) => unknown,
): ListedResource => ({ kind, name, value, print })

const without = (fields: Printed, name: string): Printed =>
  Object.fromEntries(Object.entries(fields).filter(([key]) => key !== name))
