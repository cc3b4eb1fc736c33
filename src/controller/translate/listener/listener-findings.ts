import type { GraphReads } from '../../graph/query.ts'
import type { Gateway, GatewayListener } from '../../kinds/gateway-api.ts'
import type { ListenerFindings, ListenerProblem } from './listener-conditions.ts'
import type { ListenerConflict } from './listener-conflicts.ts'
import { isSupportedProtocol, supportedKinds, terminatesTls } from './listener-protocol.ts'
import { type ListenerOwner, listenerPort } from './listener-source.ts'
import type { GatewayListenerState } from './listener-state.ts'

/** How a listener relates to others of its Gateway. */
export interface ListenerNeighbours {
  readonly conflict: ListenerConflict | undefined
  readonly hasOverlappingTls: boolean
}

/** Checks a listener: what is wrong with it, and how it treats TLS. */
export const listenerFindings = (
  _reads: GraphReads,
  _gateway: Gateway,
  owner: ListenerOwner,
  listener: GatewayListener,
  { conflict, hasOverlappingTls }: ListenerNeighbours,
): { readonly tls: GatewayListenerState['tls']; readonly findings: ListenerFindings } => {
  const unsupported = protocolProblem(owner, listener)
  if (unsupported)
    return {
      tls: 'none',
      findings: { notAccepted: unsupported, notProgrammed: invalid('The protocol is not supported') },
    }
  const conflicted = conflict && { reason: conflict, message: conflictMessages[conflict] }
  const kinds = supportedKinds(listener).hasInvalid
    ? { reason: 'InvalidRouteKinds', message: 'Invalid route kinds' }
    : undefined
  return {
    tls: terminatesTls(listener) ? 'valid' : listener.protocol === 'TLS' ? 'passthrough' : 'none',
    findings: {
      notAccepted: conflicted,
      conflicted,
      notProgrammed: conflicted,
      unresolvedRefs: kinds,
      overlappingTls: hasOverlappingTls ? overlapping : undefined,
    },
  }
}

const invalid = (message: string): ListenerProblem => ({ reason: 'Invalid', message })

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
