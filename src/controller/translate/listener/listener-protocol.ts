import type { GatewayListener } from '../../kinds/gateway-api.ts'
import { kinds } from '../../kinds/kinds.ts'
import type { RouteKind } from './listener-state.ts'

/** Whether listeners of a protocol can be programmed. */
export const isSupportedProtocol = (protocol: string): boolean => routeKinds.has(protocol)

/** Whether a listener is for datagrams, of which a port number has its own. */
export const isDatagrams = ({ protocol }: { readonly protocol: string }): boolean => protocol === 'UDP'

/** Whether a protocol says nothing of host names: those of its listeners are ignored, as the API demands. */
export const ignoresHostnames = (protocol: string): boolean => protocol === 'TCP' || protocol === 'UDP'

/** Listeners of different groups cannot share a port. */
export const protocolGroup = (protocol: string): string =>
  protocol === 'HTTPS' || protocol === 'TLS' ? 'TLS' : protocol

/** Whether the gateway ends the TLS connections of a listener. */
export const terminatesTls = ({ protocol, tls }: GatewayListener): boolean =>
  protocol === 'HTTPS' || (protocol === 'TLS' && tls?.mode !== 'Passthrough')

/**
 * The kinds of routes that a listener supports, and whether it lists others. Models need to be listed.
 *
 * @param hasModels Whether there may be any.
 */
export const supportedKinds = (
  listener: GatewayListener,
  hasModels: boolean,
): { readonly kinds: readonly RouteKind[]; readonly hasInvalid: boolean } => {
  const supported = kindsOf(listener).filter((kind) => kind in kinds)
  const listed = listener.allowedRoutes?.kinds ?? []
  if (listed.length === 0) return { kinds: supported.map((kind) => ({ group, kind })), hasInvalid: false }
  const isModel = (of: { readonly group?: string; readonly kind: string }): boolean =>
    of.group === models.group && of.kind === models.kind
  const takesModels = hasModels && supported.includes('HTTPRoute')
  const isSupported = (of: { readonly group?: string; readonly kind: string }): boolean =>
    ((of.group ?? group) === group && supported.includes(of.kind)) || (takesModels && isModel(of))
  return {
    kinds: listed.filter(isSupported).map((of) => (isModel(of) ? models : { group, kind: of.kind })),
    hasInvalid: !listed.every(isSupported),
  }
}

const group = 'gateway.networking.k8s.io'
const models: RouteKind = { group: 'agentgateway.dev', kind: 'ProxyModel' }

/** Decrypted connections may be routed as they are, by whatever names no host. */
const kindsOf = (listener: GatewayListener): readonly string[] => {
  const ofProtocol = routeKinds.get(listener.protocol) ?? []
  return listener.protocol === 'TLS' && terminatesTls(listener) ? [...ofProtocol, 'TCPRoute'] : ofProtocol
}

/** By protocol. Of these, only watched kinds are supported. */
const routeKinds: ReadonlyMap<string, readonly string[]> = new Map([
  ['HTTP', ['HTTPRoute', 'GRPCRoute']],
  ['HTTPS', ['HTTPRoute', 'GRPCRoute']],
  ['TLS', ['TLSRoute']],
  ['TCP', ['TCPRoute']],
  ['UDP', ['UDPRoute']],
])
