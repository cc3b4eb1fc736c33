import type { LoadedConfig } from '../../config/load.ts'
import type { PolicyOrigins } from '../../config/policy-origins.ts'
import { type Hiding, printed } from '../../config/dump/value.ts'
import type { Backend, Listener, Resources, Route, WeightedBackend } from '../../model/resources/resources.ts'
import type { Origin } from '../../model/resources/origin.ts'
import { Redaction } from '../../model/trace/redact.ts'

/** One thing that a configuration has, in a form that can be compared. */
export interface ComparedResource {
  readonly kind:
    | 'bind'
    | 'listener'
    | 'route'
    | 'backend'
    | 'policy'
    | 'attached policy'
    | 'service'
    | 'workload'
    | 'setting'
  readonly name: string
  /** Its fields as they are printed; credentials are hidden. */
  readonly value: unknown
  /** Distinguishes values whose printed forms are equal, such as two secrets. */
  readonly identity: string
  readonly origin: Origin | undefined
}

/** The resources of a configuration. A route of several listeners is one. */
export const resourceList = (
  { resources, process, secrets }: LoadedConfig,
  origins: PolicyOrigins,
): readonly ComparedResource[] => {
  const hiding: Hiding = { redaction: new Redaction(process.sensitiveHeaders), secrets }
  const listing = new Listing(hiding, origins)
  for (const bind of resources.binds) {
    const { listeners, ...own } = bind
    listing.add('bind', bind.key, own, undefined)
    for (const listener of listeners) listing.listener(listener)
  }
  for (const { name, routes } of resources.routeGroups)
    for (const route of routes) listing.route(route, `routeGroup/${name}/`)
  for (const backend of resources.backends) listing.backend(backend)
  for (const policy of resources.policies) {
    const { name, namespace, origin, ...value } = policy
    listing.add('attached policy', `${namespace}/${name}`, value, origin)
  }
  listing.others(resources, process)
  return listing.all
}

class Listing {
  readonly #found = new Map<string, ComparedResource>()
  /** Names of backends that are written inside of routes, by their keys. */
  readonly #inline = new Map<string, string>()
  readonly #hiding: Hiding
  readonly #origins: PolicyOrigins

  constructor(hiding: Hiding, origins: PolicyOrigins) {
    this.#hiding = hiding
    this.#origins = origins
  }

  get all(): readonly ComparedResource[] {
    return [...this.#found.values()]
  }

  add(kind: ComparedResource['kind'], name: string, value: unknown, origin: Origin | undefined): void {
    const key = `${kind} ${name}`
    const identity = JSON.stringify(value, (field, one: unknown) =>
      field === 'origin' ? undefined : one instanceof Set ? [...(one as Set<unknown>)] : one,
    )
    if (!this.#found.has(key))
      this.#found.set(key, { kind, name, value: printed(value, this.#hiding), identity, origin })
  }

  listener({ policies, routes, tcpRoutes, udpRoutes = [], origin, ...own }: Listener): void {
    this.add('listener', own.key, own, origin)
    this.#policies(`listener ${own.key}`, policies)
    for (const route of routes) this.route(route)
    for (const { origin: at, ...route } of [...tcpRoutes, ...udpRoutes])
      this.add('route', `${route.namespace}/${route.name}${suffix(route.ruleName)}`, route, at)
    this.add('setting', `order of the routes of ${own.key}`, routes.map(routeName), origin)
  }

  route({ policies, backends, key, origin, ...own }: Route, prefix = ''): void {
    const name = `${prefix}${routeName(own)}`
    for (const index of backends.keys())
      this.#inline.set(`/${key}/backend${String(index)}`, `${name}, backend ${String(index)}`)
    this.add('route', name, { ...own, backends: backends.map((one) => this.#reference(one)) }, origin)
    this.#policies(`route ${name}`, policies)
    for (const [index, backend] of backends.entries())
      this.#policies(`route ${name}, backend ${String(index)}`, backend.policies)
  }

  backend({ key, policies, origin, spec, name: _, namespace: __ }: Backend): void {
    const name = this.#inline.get(key) ?? key
    this.add('backend', name, spec, origin)
    this.#policies(`backend ${name}`, policies)
  }

  others({ services, workloads, frontend, functions }: Resources, process: LoadedConfig['process']): void {
    for (const service of services)
      this.add('service', `${service.namespace}/${service.hostname}`, service, undefined)
    for (const workload of workloads) this.add('workload', workload.uid, workload, undefined)
    for (const [name, value] of Object.entries(frontend))
      this.add('setting', `frontendPolicies.${name}`, value, undefined)
    for (const [name, value] of Object.entries(process))
      this.add('setting', `config.${name}`, value, undefined)
    if (functions !== undefined) this.add('setting', 'config.customFunctions', functions, undefined)
  }

  /** The backend of a route. One that is written inside of it has the listener in its key. */
  #reference({ target, weight, priority }: WeightedBackend): object {
    const isInline = target.kind === 'backend' && this.#inline.has(target.key)
    return {
      weight,
      ...(priority !== undefined && { priority }),
      ...(isInline ? { kind: 'inline' } : target),
    }
  }

  #policies(holder: string, policies: object): void {
    for (const [policy, value] of Object.entries(policies))
      this.add('policy', `${policy} of ${holder}`, value, this.#origins.of(value).at(-1))
  }
}

const routeName = ({ namespace, name, ruleName }: Pick<Route, 'namespace' | 'name' | 'ruleName'>): string =>
  `${namespace}/${name}${suffix(ruleName)}`

const suffix = (ruleName: string | undefined): string => (ruleName === undefined ? '' : `/${ruleName}`)
