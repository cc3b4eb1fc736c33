import type { Listener } from '../../model/resources/resources.ts'
import type * as File from '../schema/file-types.gen.ts'
import { child } from '../document/json-pointer.ts'
import {
  attachedTo,
  isUdp,
  listenerProtocol,
  hasHttpRoutes,
} from '../../streams/http/port/normalize/gateways.ts'
import { hostname } from '../../streams/http/port/normalize/hostname.ts'
import { llmPort, llmSectionRoute } from '../../operators/llm/normalize/llm-section.ts'
import { mcpPort, mcpSectionRoute } from '../../operators/mcp/normalize/mcp-section.ts'
import type { Item, ValidationContext } from './context.ts'

/** A listener of either form. */
export interface ListenerLocation {
  readonly pointer: string
  /** Its name in messages: `gateway default`, `gateway default/web`, `binds[0].listeners[1]`. */
  readonly label: string
  /** `name` or `name/listener` for gateways; absent in the older form. */
  readonly references: readonly string[]
  /** Name of its gateway, without the namespace. */
  readonly gatewayName: string
  readonly protocol: Listener['protocol']
  readonly hostname: string
  readonly tls: File.ServerTls | undefined
  readonly policies: File.GatewayPolicies
  readonly policiesPointer: string
  readonly form: 'gateway' | 'bind'
}

/** A route with the listeners that serve it; none for routes of groups. */
export interface RouteLocation<R> extends Item<R> {
  readonly name: string
  readonly namespace: string
  readonly listeners: readonly ListenerLocation[]
  /** The group that contains it. */
  readonly group?: string
  /** Whether it is a section, which has only the policies and gateways of a route. */
  readonly isSection?: boolean
}

/** An HTTP route and its listeners. */
export type HttpRouteLocation = RouteLocation<File.Route>
/** A TCP route and its listeners. */
export type TcpRouteLocation = RouteLocation<File.TcpRoute>

/** A UDP route and its listeners. */
export type UdpRouteLocation = RouteLocation<File.UdpRoute>

/** The listeners of the section `gateways`. */
export function configuredListeners(view: ValidationContext): readonly ListenerLocation[] {
  return Object.entries(view.file.gateways ?? {}).flatMap(([name, gateway]) => {
    const pointer = child('/gateways', name)
    const site = (
      at: string,
      own: string | undefined,
      source: File.Gateway | File.GatewayListener,
    ): ListenerLocation => ({
      pointer: at,
      label: own === undefined ? `gateway ${name}` : `gateway ${name}/${own}`,
      references: own === undefined ? [name, `${name}/${name}`] : [name, `${name}/${own}`],
      gatewayName: name,
      protocol: listenerProtocol(source),
      hostname: hostname('hostname' in source ? source.hostname : undefined),
      tls: source.tls,
      policies: source,
      policiesPointer: at,
      form: 'gateway',
    })
    if (gateway.listeners === undefined) return [site(pointer, undefined, gateway)]
    return view
      .items(gateway.listeners, child(pointer, 'listeners'))
      .map(({ value, index, pointer: at }) => site(at, value.name ?? `listener${String(index)}`, value))
  })
}

/** The listeners of one bind of the older form. */
export function bindListeners(
  view: ValidationContext,
  bind: Item<File.Bind>,
): readonly (ListenerLocation & { source: File.BindListener })[] {
  return view.items(bind.value.listeners, child(bind.pointer, 'listeners')).map(({ value, pointer }) => ({
    pointer,
    label: view.document.display(pointer),
    references: [],
    gatewayName: value.gatewayName ?? 'default',
    protocol: (value.protocol ?? 'HTTP') as Listener['protocol'],
    hostname: hostname(value.hostname),
    tls: value.tls,
    policies: value.policies ?? {},
    policiesPointer: child(pointer, 'policies'),
    form: 'bind',
    source: value,
  }))
}

/** Every listener of the file. */
export function allListeners(view: ValidationContext): readonly ListenerLocation[] {
  return [
    ...configuredListeners(view),
    ...view.items(view.file.binds, '/binds').flatMap((bind) => bindListeners(view, bind)),
  ]
}

/** Every HTTP route of the file. */
export function httpRoutes(view: ValidationContext): readonly HttpRouteLocation[] {
  const listeners = configuredListeners(view).filter(({ protocol }) => hasHttpRoutes(protocol))
  return [
    ...view.items(view.file.routes, '/routes').map((item) => attached(item, 'route', listeners)),
    ...nested(view, ({ routes }) => routes, 'routes', 'route'),
    ...view
      .items(view.file.routeGroups, '/routeGroups')
      .flatMap(({ value, pointer }) =>
        view
          .items(value.routes, child(pointer, 'routes'))
          .map((item) => ({ ...named(item, 'route', []), group: value.name })),
      ),
    ...mcpSites(view, listeners),
    ...llmSites(view, listeners),
  ]
}

/** The section `mcp`, as a route. */
function mcpSites(
  view: ValidationContext,
  listeners: readonly ListenerLocation[],
): readonly HttpRouteLocation[] {
  const { mcp, gateways } = view.file
  if (mcp === undefined) return []
  const onOwnPort = mcpPort(mcp, Object.hasOwn(gateways ?? {}, 'default')) !== undefined
  const value: File.AttachedRoute = {
    ...mcpSectionRoute(mcp, onOwnPort),
    ...(mcp.gateways !== undefined && { gateways: mcp.gateways }),
    backends: [{ mcp }],
  }
  const item = { value, index: 0, pointer: '/mcp' }
  return [{ ...attached(item, 'route', onOwnPort ? [] : listeners), isSection: true }]
}

/** The section `llm`, as a route. */
function llmSites(
  view: ValidationContext,
  listeners: readonly ListenerLocation[],
): readonly HttpRouteLocation[] {
  const { llm, gateways } = view.file
  if (llm === undefined) return []
  const onOwnPort = llmPort(llm, Object.hasOwn(gateways ?? {}, 'default')) !== undefined
  const value: File.AttachedRoute = {
    ...llmSectionRoute(llm),
    ...(llm.gateways !== undefined && { gateways: llm.gateways }),
    // Its backends are checked separately.
    backends: [{}],
  }
  const item = { value, index: 0, pointer: '/llm' }
  return [{ ...attached(item, 'route', onOwnPort ? [] : listeners), isSection: true }]
}

/** Every TCP route of the file. */
export function tcpRoutes(view: ValidationContext): readonly TcpRouteLocation[] {
  const listeners = configuredListeners(view).filter(
    (listener) => !hasHttpRoutes(listener.protocol) && !isUdp(listener),
  )
  return [
    ...view.items(view.file.tcpRoutes, '/tcpRoutes').map((item) => attached(item, 'tcproute', listeners)),
    ...nested(view, ({ tcpRoutes: routes }) => routes, 'tcpRoutes', 'tcproute'),
  ]
}

/** Every UDP route of the file. */
export function udpRoutes(view: ValidationContext): readonly UdpRouteLocation[] {
  const listeners = configuredListeners(view).filter(isUdp)
  return [
    ...view.items(view.file.udpRoutes, '/udpRoutes').map((item) => attached(item, 'udproute', listeners)),
    ...nested(view, ({ udpRoutes: routes }) => routes, 'udpRoutes', 'udproute'),
  ]
}

function nested<R extends { name?: string; namespace?: string }>(
  view: ValidationContext,
  routesOf: (listener: File.BindListener) => readonly R[] | undefined,
  field: string,
  prefix: string,
): readonly RouteLocation<R>[] {
  return view
    .items(view.file.binds, '/binds')
    .flatMap((bind) =>
      bindListeners(view, bind).flatMap((listener) =>
        view
          .items(routesOf(listener.source), child(listener.pointer, field))
          .map((item) => named(item, prefix, [listener])),
      ),
    )
}

function attached<R extends File.AttachedRoute | File.AttachedTcpRoute | File.AttachedUdpRoute>(
  item: Item<R>,
  prefix: string,
  listeners: readonly ListenerLocation[],
): RouteLocation<R> {
  const attachedNames = attachedTo(item.value)
  return named(
    item,
    prefix,
    listeners.filter(({ references }) => references.some((name) => attachedNames.includes(name))),
  )
}

function named<R extends { name?: string; namespace?: string }>(
  item: Item<R>,
  prefix: string,
  listeners: readonly ListenerLocation[],
): RouteLocation<R> {
  const { name, namespace } = item.value
  return {
    ...item,
    name: name ?? `${prefix}${String(item.index)}`,
    namespace: namespace ?? 'default',
    listeners,
  }
}
