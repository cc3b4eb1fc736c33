import { isJsonObject } from '../../protocols/json/json-object.ts'
import { isUdp, listenerProtocol, hasHttpRoutes } from '../../streams/http/port/normalize/gateways.ts'

/**
 * The names that references can refer to. Read from the whole file, so that an invalid resource still counts as
 * defined.
 */
export interface DeclaredNames {
  readonly backends: ReadonlySet<string>
  readonly routeGroups: ReadonlySet<string>
  /** `namespace/hostname` → its ports; undefined if they could not be read. */
  readonly services: ReadonlyMap<string, ReadonlySet<string> | undefined>
  /** `gateway` and `gateway/listener` → the kinds of routes it accepts. */
  readonly gateways: ReadonlyMap<string, ReadonlySet<RouteTransport>>
  /** Names and patterns of models in the section `llm`, and its providers. */
  readonly llmModels: ReadonlySet<string>
  readonly llmProviders: ReadonlySet<string>
  /** `namespace/gateway` of the older form, and their listeners. */
  readonly boundGateways: ReadonlyMap<string, ReadonlySet<string>>
  /** `namespace/gateway` → its ports, as far as they are numbers. */
  readonly ports: ReadonlyMap<string, ReadonlySet<number>>
  /** `namespace/name` of sets of listeners, and their listeners. */
  readonly listenerSets: ReadonlyMap<string, ReadonlySet<string>>
}

/** What the routes of a listener are for. */
export type RouteTransport = 'HTTP' | 'TCP' | 'UDP'

/** Collects the names of a file, valid or not. */
export function declaredNames(root: unknown): DeclaredNames {
  return {
    backends: new Set(list(root, 'backends').map((one) => word(one, 'name'))),
    routeGroups: new Set(list(root, 'routeGroups').map((one) => word(one, 'name'))),
    services: new Map(
      list(root, 'services').map((one) => {
        const ports = field(one, 'ports')
        const key = `${word(one, 'namespace', 'default')}/${word(one, 'hostname').toLowerCase()}`
        return [key, isJsonObject(ports) ? new Set(Object.keys(ports)) : undefined]
      }),
    ),
    llmModels: new Set(list(field(root, 'llm'), 'models').map((one) => word(one, 'name'))),
    llmProviders: new Set(list(field(root, 'llm'), 'providers').map((one) => word(one, 'name'))),
    gateways: gatewayNames(root),
    boundGateways: boundGateways(root),
    listenerSets: listenerSets(root),
    ports: gatewayPorts(root),
  }
}

function gatewayNames(root: unknown): ReadonlyMap<string, ReadonlySet<RouteTransport>> {
  const names = new Map<string, Set<RouteTransport>>()
  const add = (name: string, source: unknown): void => {
    const protocol = word(source, 'protocol')
    const tls = field(source, 'tls')
    const effective = listenerProtocol({ ...(protocol === '' ? {} : { protocol }), tls })
    const kind = hasHttpRoutes(effective) ? 'HTTP' : isUdp({ protocol: effective }) ? 'UDP' : 'TCP'
    names.set(name, (names.get(name) ?? new Set()).add(kind))
  }
  const gateways = field(root, 'gateways')
  for (const [name, gateway] of Object.entries(isJsonObject(gateways) ? gateways : {})) {
    names.set(name, new Set())
    if (!Array.isArray(field(gateway, 'listeners'))) {
      add(name, gateway)
      add(`${name}/${name}`, gateway)
    }
    for (const [index, listener] of list(gateway, 'listeners').entries()) {
      add(name, listener)
      add(`${name}/${word(listener, 'name', `listener${String(index)}`)}`, listener)
    }
  }
  return names
}

function boundGateways(root: unknown): ReadonlyMap<string, ReadonlySet<string>> {
  const gateways = new Map<string, Set<string>>()
  for (const bind of list(root, 'binds')) {
    for (const [index, listener] of list(bind, 'listeners').entries()) {
      const gateway = `${word(listener, 'namespace', 'default')}/${word(listener, 'gatewayName', 'default')}`
      const name = word(listener, 'name', `listener${String(index)}`)
      gateways.set(gateway, (gateways.get(gateway) ?? new Set()).add(name))
    }
  }
  // Dedicated ports of these sections are listeners like those of binds.
  for (const section of ['llm', 'mcp'])
    if (isJsonObject(field(root, section)))
      gateways.set('default/default', (gateways.get('default/default') ?? new Set()).add(section))
  return gateways
}

/** Without the dedicated ports of other sections, which may be the default ones: nothing is known about those gateways. */
function gatewayPorts(root: unknown): ReadonlyMap<string, ReadonlySet<number>> {
  const ports = new Map<string, Set<number>>()
  const add = (gateway: string, port: unknown): void => {
    if (typeof port === 'number') ports.set(gateway, (ports.get(gateway) ?? new Set()).add(port))
  }
  const gateways = field(root, 'gateways')
  for (const [name, gateway] of Object.entries(isJsonObject(gateways) ? gateways : {}))
    add(`default/${name}`, field(gateway, 'port'))
  for (const bind of list(root, 'binds'))
    for (const listener of list(bind, 'listeners'))
      add(
        `${word(listener, 'namespace', 'default')}/${word(listener, 'gatewayName', 'default')}`,
        field(bind, 'port'),
      )
  if (['llm', 'mcp'].some((section) => isJsonObject(field(root, section)))) ports.delete('default/default')
  return ports
}

function listenerSets(root: unknown): ReadonlyMap<string, ReadonlySet<string>> {
  const sets = new Map<string, Set<string>>()
  for (const bind of list(root, 'binds'))
    for (const [index, listener] of list(bind, 'listeners').entries()) {
      const set = field(listener, 'listenerSet')
      if (!isJsonObject(set)) continue
      const key = `${word(set, 'namespace', 'default')}/${word(set, 'name')}`
      sets.set(key, (sets.get(key) ?? new Set()).add(word(listener, 'name', `listener${String(index)}`)))
    }
  return sets
}

function field(value: unknown, name: string): unknown {
  return isJsonObject(value) ? value[name] : undefined
}

function list(value: unknown, name: string): readonly unknown[] {
  const found = field(value, name)
  return Array.isArray(found) ? found : []
}

function word(value: unknown, name: string, fallback = ''): string {
  const found = field(value, name)
  return typeof found === 'string' ? found : fallback
}
