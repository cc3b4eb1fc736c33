import type { Bind, Listener } from '../../../../model/resources/resources.ts'
import type * as File from '../../../../config/schema/file-types.gen.ts'
import { child } from '../../../../config/document/json-pointer.ts'
import { type Context, originOf } from '../../../../config/normalize/context.ts'
import { definedFields, given } from '../../../../config/normalize/optional-fields.ts'
import { bindKey, bindProtocol, byTransport, isUdp, isUnix, listenerProtocol } from './gateways.ts'
import { hostname } from './hostname.ts'
import { gatewayPolicies } from '../../../../config/normalize/policies.ts'
import { httpRoute, tcpRoute, udpRoute } from '../../../../operators/route/normalize/route.ts'
import { tlsServer } from '../../tls/normalize.ts'

/** The section `binds`: the older form. */
export function oldBinds(file: File.ConfigFile, context: Context): readonly Bind[] {
  return (file.binds ?? []).flatMap((bind, index) => {
    const key = oldBindKey(bind, index)
    const pointer = child('/binds', index)
    const listeners = bind.listeners.map((listener, position) =>
      oldListener(listener, position, key, child(child(pointer, 'listeners'), position), context),
    )
    const opensPort = key !== WILDCARD && !isUnix(bind.address)
    const whole = definedFields<Bind>({
      key,
      address: bind.address ?? context.anyAddress,
      port: opensPort ? bind.port : undefined,
      protocol: bindProtocol(listeners),
      tunnelProtocol: bind.tunnelProtocol ?? 'direct',
      mode: bind.mode ?? 'standard',
      listeners,
    })
    return byTransport(whole)
  })
}

/** The internal bind that accepts tunnels to every port without a bind of its own. */
const WILDCARD = 'bind/wildcard'

/** Whether a bind is the wildcard bind: internal, and without a port. */
export function isWildcard({ mode, port }: File.Bind): boolean {
  return mode === 'internal' && (port ?? 0) === 0
}

function oldBindKey(bind: File.Bind, index: number): string {
  return isWildcard(bind) ? WILDCARD : bindKey(bind.address, bind.port, `binds${String(index)}`)
}

/** A listener of the older form. */
export function oldListener(
  source: File.BindListener,
  position: number,
  bindName: string,
  pointer: string,
  context: Context,
): Listener {
  const listenerName = source.name ?? `listener${String(position)}`
  const gatewayNamespace = source.namespace ?? 'default'
  const { gatewayName = 'default', listenerSet } = source
  const set = listenerSet ? `${listenerSet.namespace}/${listenerSet.name}/` : ''
  const key = `${gatewayNamespace}/${gatewayName}/${set}${bindName}/${listenerName}`
  const protocol = listenerProtocol({ protocol: source.protocol ?? 'HTTP' })
  return definedFields<Listener>({
    key,
    gatewayName,
    gatewayNamespace,
    listenerName,
    listenerSet,
    hostname: hostname(source.hostname),
    protocol,
    tls: given(source.tls, (tls) => tlsServer(tls, context)),
    policies: gatewayPolicies(source.policies, context),
    origin: originOf(context, pointer),
    routes: (source.routes ?? []).map((route, index) =>
      httpRoute(route, { owner: key, index, pointer: child(child(pointer, 'routes'), index) }, context),
    ),
    tcpRoutes: (source.tcpRoutes ?? []).map((route, index) =>
      tcpRoute(route, { owner: key, index, pointer: child(child(pointer, 'tcpRoutes'), index) }, context),
    ),
    udpRoutes: isUdp({ protocol })
      ? (source.udpRoutes ?? []).map((route, index) =>
          udpRoute(route, { owner: key, index, pointer: child(child(pointer, 'udpRoutes'), index) }, context),
        )
      : undefined,
  })
}
