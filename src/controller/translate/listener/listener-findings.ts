import { formats } from '../../../config/format/formats.ts'
import type { GraphReads } from '../../graph/query.ts'
import type { Gateway, GatewayListener } from '../../kinds/gateway-api.ts'
import type { ListenerFindings, ListenerProblem } from './listener-conditions.ts'
import type { ListenerConflict } from './listener-conflicts.ts'
import type { AllowedNamespaces } from '../namespaces/allowed-namespaces.ts'
import {
  ignoresHostnames,
  isDatagrams,
  isSupportedProtocol,
  supportedKinds,
  terminatesTls,
} from './listener-protocol.ts'
import { hasModels } from '../model/has-models.ts'
import { type ListenerOwner, listenerPort } from './listener-owner.ts'
import type { GatewayListenerState, RouteKind } from './listener-state.ts'
import { listenerTls } from './listener-tls.ts'
import { reservedPorts } from '../reserved-ports.ts'

/** How a listener relates to others of its Gateway. */
export interface ListenerNeighbours {
  readonly conflict: ListenerConflict | undefined
  readonly hasOverlappingTls: boolean
  readonly isBeyondLimit: boolean
}

/** Checks a listener: what is wrong with it, and how it treats TLS. */
export const listenerFindings = (
  reads: GraphReads,
  gateway: Gateway,
  owner: ListenerOwner,
  listener: GatewayListener,
  { conflict, hasOverlappingTls, isBeyondLimit }: ListenerNeighbours,
): { readonly tls: GatewayListenerState['tls']; readonly findings: ListenerFindings } => {
  const unusable = unusableProblem(owner, listener, isBeyondLimit)
  if (unusable)
    return { tls: 'none', findings: { notAccepted: unusable, notProgrammed: invalid(unusable.message) } }
  const tls = listenerTls(reads, gateway, owner, listener)
  const conflicted = conflict && { reason: conflict, message: conflictMessages[conflict] }
  const invalidKinds = supportedKinds(listener, hasModels(reads)).hasInvalid
    ? { reason: 'InvalidRouteKinds', message: 'Invalid route kinds' }
    : undefined
  return {
    tls: tls.kind,
    findings: {
      notAccepted: conflicted ?? tls.notAccepted,
      conflicted,
      notProgrammed: conflicted ?? (tls.kind === 'invalid' ? invalid('Bad TLS configuration') : undefined),
      unresolvedRefs: invalidKinds ?? tls.unresolvedRefs,
      overlappingTls: hasOverlappingTls ? overlapping : undefined,
    },
  }
}

/** A listener whose evaluation has thrown takes no routes; if it ends TLS connections, it refuses every handshake. */
export const unreadableListener = (
  listener: GatewayListener,
  owner: ListenerOwner,
  { conflict, isBeyondLimit }: ListenerNeighbours,
): {
  readonly tls: GatewayListenerState['tls']
  readonly findings: ListenerFindings
  readonly kinds: readonly RouteKind[]
  readonly allowed: AllowedNamespaces
} => {
  const message = 'The listener cannot be translated; the log has the error'
  const conflicted = conflict && { reason: conflict, message: conflictMessages[conflict] }
  return {
    tls: !unusableProblem(owner, listener, isBeyondLimit) && terminatesTls(listener) ? 'invalid' : 'none',
    findings: {
      notAccepted: conflicted ?? { reason: 'Invalid', message },
      conflicted,
      notProgrammed: conflicted ?? invalid(message),
    },
    kinds: [],
    allowed: { from: 'None', namespace: owner.namespace },
  }
}

const invalid = (message: string): ListenerProblem => ({ reason: 'Invalid', message })

const tooManyListeners: ListenerProblem = {
  reason: 'TooManyListeners',
  message: 'The Gateway has too many listeners',
}

const unusableProblem = (
  owner: ListenerOwner,
  listener: GatewayListener,
  isBeyondLimit: boolean,
): ListenerProblem | undefined =>
  protocolProblem(owner, listener) ??
  portProblem(listener) ??
  hostnameProblem(listener) ??
  (isBeyondLimit ? tooManyListeners : undefined)

const protocolProblem = (owner: ListenerOwner, listener: GatewayListener): ListenerProblem | undefined => {
  const { protocol } = listener
  if (!isSupportedProtocol(protocol)) {
    const upper = protocol.toUpperCase()
    const hint = isSupportedProtocol(upper) ? `; did you mean ${JSON.stringify(upper)}?` : ''
    return {
      reason: 'UnsupportedProtocol',
      message: `The protocol ${JSON.stringify(protocol)} is not supported${hint}`,
    }
  }
  if (owner.kind === 'ListenerSet' && listenerPort(listener) === 0)
    return { reason: 'UnsupportedProtocol', message: `The protocol ${protocol} needs a port` }
  // Tunnels, by which such a port is reached, carry connections.
  if (isDatagrams(listener) && owner.internal.ports.includes(listenerPort(listener)))
    return { reason: 'UnsupportedProtocol', message: 'The protocol UDP has no internal ports' }
  return undefined
}

const portProblem = (listener: GatewayListener): ListenerProblem | undefined => {
  const port = listenerPort(listener)
  const unavailable = (what: string) => ({
    reason: 'PortUnavailable',
    message: `Port ${String(port)} ${what}`,
  })
  if (reservedPorts.has(port)) return unavailable('is reserved for the proxies')
  return port < 1 || port > 65_535 ? unavailable('is not a port number') : undefined
}

/** Definitions let names in that proxies refuse, such as those of digits. */
const hostnameProblem = ({ protocol, hostname = '' }: GatewayListener): ListenerProblem | undefined => {
  if (hostname === '' || ignoresHostnames(protocol)) return undefined
  const complaint = formats.hostnamePattern?.(hostname)
  return (
    complaint && {
      reason: 'UnsupportedValue',
      message: `hostname ${JSON.stringify(hostname)} ${complaint.expectation}`,
    }
  )
}

const conflictMessages: Readonly<Record<ListenerConflict, string>> = {
  BindModeConflict: 'A listener of higher precedence decides whether its port is internal',
  ProtocolConflict: 'Listeners of one port need compatible protocols',
  HostnameConflict: 'Listeners of one port need different host names',
}

/** Without the names: other listeners may belong to other tenants. */
const overlapping: ListenerProblem = {
  reason: 'OverlappingHostnames',
  message:
    'Host names overlap with those of another TLS listener on the port; clients may reuse connections for both',
}
