import type { Bind, Listener, Route } from '../../../../model/resources/resources.ts'
import type * as File from '../../../../config/schema/file-types.gen.ts'
import { child } from '../../../../config/document/json-pointer.ts'
import { type Context, originOf } from '../../../../config/normalize/context.ts'
import { definedFields, given } from '../../../../config/normalize/optional-fields.ts'
import { hostname } from './hostname.ts'
import { llmPort, llmRoute } from '../../../../operators/llm/normalize/llm-section.ts'
import { mcpRoute } from '../../../../operators/mcp/normalize/mcp-section.ts'
import { gatewayPolicies } from '../../../../config/normalize/policies.ts'
import { httpRoute, tcpRoute, udpRoute } from '../../../../operators/route/normalize/route.ts'
import { tlsServer } from '../../tls/normalize.ts'
import { hostPortText } from '../../../../protocols/ip/host-port.ts'

/** The section `gateways` with the routes that are attached to it. */
export function gatewayBinds(file: File.ConfigFile, context: Context): readonly Bind[] {
  return Object.entries(file.gateways ?? {}).flatMap(([name, gateway]) => {
    const listeners = listenersOf(name, gateway, context).map((listener) => attach(listener, file, context))
    const bind = definedFields<Bind>({
      key: bindKey(gateway.address, gateway.port, name),
      address: gateway.address ?? context.anyAddress,
      port: isUnix(gateway.address) ? undefined : gateway.port,
      protocol: bindProtocol(listeners),
      tunnelProtocol: 'direct',
      mode: 'standard',
      listeners,
    })
    return byTransport(bind)
  })
}

/**
 * The key of a listening socket. A bind on all addresses is identified by its port alone, and port 0, which several
 * binds may have, by its owner.
 */
export function bindKey(address: string | undefined, port: number | undefined, owner: string): string {
  if (isUnix(address)) return `bind/${String(address)}`
  const bindAddress = address === undefined || port === undefined ? String(port) : hostPortText(address, port)
  return port === 0 ? `bind/${bindAddress}/${owner}` : `bind/${bindAddress}`
}

/** Whether a listener is for datagrams. */
export const isUdp = ({ protocol }: Pick<Listener, 'protocol'>): boolean => protocol === 'UDP'

/** A port may have listeners for connections and for datagrams, which have a socket, and therefore a bind, each. */
export function byTransport(bind: Bind): readonly Bind[] {
  const datagrams = bind.listeners.filter(isUdp)
  if (datagrams.length === 0) return [bind]
  const connections = bind.listeners.filter((listener) => !isUdp(listener))
  const udp: Bind = { ...bind, key: udpBindKey(bind.key), protocol: 'udp', listeners: datagrams }
  if (connections.length === 0) return [udp]
  return [{ ...bind, protocol: bindProtocol(connections), listeners: connections }, udp]
}

/** The key of the bind for the datagrams of a port. */
export function udpBindKey(key: string): string {
  return key.replace(/^bind\//, 'bind/udp/')
}

/** The protocol of a bind; `auto` detects it by the first bytes. */
export function bindProtocol(listeners: readonly Listener[]): Bind['protocol'] {
  if (listeners.some(isUdp)) return 'udp'
  const kinds = new Set(listeners.map(({ protocol }) => (protocol === 'HTTPS' ? 'TLS' : protocol)))
  if (kinds.size > 1) return 'auto'
  if (kinds.has('TLS')) return 'tls'
  return kinds.has('TCP') ? 'tcp' : 'http'
}

/** Whether an address is a unix socket. */
export function isUnix(address: string | undefined): boolean {
  return address?.startsWith('unix:') === true
}

/** The protocol of a listener; by default HTTPS with `tls`, else HTTP. */
export function listenerProtocol(source: { protocol?: string; tls?: unknown }): Listener['protocol'] {
  const named = source.protocol as Listener['protocol'] | undefined
  return named ?? (source.tls === undefined ? 'HTTP' : 'HTTPS')
}

/** Whether a listener has HTTP routes, rather than TCP or UDP routes. */
export function hasHttpRoutes(protocol: Listener['protocol']): boolean {
  return protocol === 'HTTP' || protocol === 'HTTPS'
}

/** The gateways and listeners that a route refers to; `default` if none are set. */
export function attachedTo(route: { gateways?: string | readonly string[] }): readonly string[] {
  const written = route.gateways ?? 'default'
  return typeof written === 'string' ? [written] : written
}

function listenersOf(name: string, gateway: File.Gateway, context: Context): readonly Listener[] {
  const common = { gatewayName: name, gatewayNamespace: 'default', routes: [], tcpRoutes: [] }
  const pointer = child('/gateways', name)
  const build = (
    key: string,
    listenerName: string,
    source: File.Gateway | File.GatewayListener,
    at: string,
  ): Listener =>
    definedFields<Listener>({
      key,
      ...common,
      listenerName,
      hostname: hostname('hostname' in source ? source.hostname : undefined),
      protocol: listenerProtocol(source),
      tls: given(source.tls, (tls) => tlsServer(tls, context)),
      policies: gatewayPolicies(source, context),
      origin: originOf(context, at),
    })
  if (gateway.listeners === undefined) return [build(`gateway/${name}`, name, gateway, pointer)]
  return gateway.listeners.map((listener, index) => {
    const listenerName = listener.name ?? `listener${String(index)}`
    const at = child(child(pointer, 'listeners'), index)
    return build(`gateway/${name}/${listenerName}`, listenerName, listener, at)
  })
}

/** The section `mcp`, after the routes, so that an explicit route with the same matcher wins. */
function mcpRoutes(
  { key: owner }: Listener,
  names: ReadonlySet<string>,
  { mcp }: File.ConfigFile,
  context: Context,
): readonly Route[] {
  if (mcp?.port !== undefined || mcp === undefined) return []
  const gateways = attachedTo(mcp)
  return gateways.some((name) => names.has(name)) ? [mcpRoute(mcp, { owner, gateways }, context)] : []
}

/** The section `llm`, last because it matches every path. */
function llmRoutes(
  { key: owner }: Listener,
  names: ReadonlySet<string>,
  { llm, gateways: all }: File.ConfigFile,
  context: Context,
): readonly Route[] {
  if (llm === undefined || llmPort(llm, Object.hasOwn(all ?? {}, 'default')) !== undefined) return []
  const gateways = attachedTo(llm)
  return gateways.some((name) => names.has(name)) ? [llmRoute(llm, { owner, gateways }, context)] : []
}

function attach(listener: Listener, file: File.ConfigFile, context: Context): Listener {
  const names = new Set([listener.gatewayName, `${listener.gatewayName}/${listener.listenerName}`])
  const mine = (route: { readonly gateways?: string | readonly string[] }): boolean =>
    attachedTo(route).some((reference) => names.has(reference))
  const owner = listener.key
  if (hasHttpRoutes(listener.protocol)) {
    const routes = (file.routes ?? []).flatMap((route, index) =>
      mine(route)
        ? [
            httpRoute(
              route,
              { owner, index, pointer: child('/routes', index), gateways: attachedTo(route) },
              context,
            ),
          ]
        : [],
    )
    return {
      ...listener,
      routes: [
        ...routes,
        ...mcpRoutes(listener, names, file, context),
        ...llmRoutes(listener, names, file, context),
      ],
    }
  }
  if (isUdp(listener)) {
    const udpRoutes = (file.udpRoutes ?? []).flatMap((route, index) =>
      mine(route) ? [udpRoute(route, { owner, index, pointer: child('/udpRoutes', index) }, context)] : [],
    )
    return { ...listener, udpRoutes }
  }
  const tcpRoutes = (file.tcpRoutes ?? []).flatMap((route, index) =>
    mine(route) ? [tcpRoute(route, { owner, index, pointer: child('/tcpRoutes', index) }, context)] : [],
  )
  return { ...listener, tcpRoutes }
}
