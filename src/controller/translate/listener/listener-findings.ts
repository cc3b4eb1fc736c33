import type { GraphReads } from '../../graph/query.ts'
import type { Gateway, GatewayListener } from '../../kinds/gateway-api.ts'
import type { ListenerFindings, ListenerProblem } from './listener-conditions.ts'
import type { ListenerConflict } from './listener-conflicts.ts'
import { isSupportedProtocol, supportedKinds } from './listener-protocol.ts'
import { type ListenerOwner, listenerPort } from './listener-owner.ts'
import type { GatewayListenerState } from './listener-state.ts'
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
  const unusable =
    protocolProblem(owner, listener) ??
    portProblem(listener) ??
    (isBeyondLimit ? tooManyListeners : undefined)
  if (unusable)
    return { tls: 'none', findings: { notAccepted: unusable, notProgrammed: invalid(unusable.message) } }
  const tls = listenerTls(reads, gateway, owner, listener)
  const conflicted = conflict && { reason: conflict, message: conflictMessages[conflict] }
  const invalidKinds = supportedKinds(listener).hasInvalid
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

const invalid = (message: string): ListenerProblem => ({ reason: 'Invalid', message })

const tooManyListeners: ListenerProblem = {
  reason: 'TooManyListeners',
  message: 'The Gateway has too many listeners',
}

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
  return undefined
}

const portProblem = (listener: GatewayListener): ListenerProblem | undefined =>
  reservedPorts.has(listenerPort(listener))
    ? {
        reason: 'PortUnavailable',
        message: `Port ${String(listenerPort(listener))} is reserved for the proxies`,
      }
    : undefined

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
