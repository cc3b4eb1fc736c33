import type { GraphReads } from '../../graph/query.ts'
import type { Gateway, GatewayListener } from '../../kinds/gateway-api.ts'
import { attempt } from '../attempt.ts'
import type { ListenerClaim } from './listener-conflicts.ts'
import { ignoresHostnames } from './listener-protocol.ts'
import { type ListenerOwner, listenerPort } from './listener-owner.ts'
import { listenerOwners } from './listener-owners.ts'

/** What a listener of an owner claims. */
export interface ClaimingListener extends ListenerClaim {
  readonly owner: ListenerOwner
  readonly listener: GatewayListener
}

/**
 * What the listeners of a Gateway and of its ListenerSets claim, by owner, in the order of precedence. A listener without
 * a name, or of whose protocol, port or host name nothing can be said, claims nothing: it must not spoil the comparison
 * with others. Of several with one name, the last claims.
 */
export const listenerClaims = (
  reads: GraphReads,
  gateway: Gateway,
): readonly (readonly ClaimingListener[])[] =>
  listenerOwners(reads, gateway).map((owner) => [
    ...new Map(
      owner.listeners
        .flatMap((listener) => attempt(() => listenerClaim(owner, listener)).value ?? [])
        .map((claim) => [claim.listener.name, claim]),
    ).values(),
  ])

const listenerClaim = (owner: ListenerOwner, listener: GatewayListener): ClaimingListener | undefined => {
  const port = listenerPort(listener)
  const hostname =
    listener.hostname === '' || ignoresHostnames(listener.protocol) ? undefined : listener.hostname
  const texts: readonly unknown[] = [listener.name, listener.protocol, hostname ?? '']
  if (!Number.isInteger(port) || !texts.every((text) => typeof text === 'string')) return undefined
  return {
    owner,
    listener,
    port,
    protocol: listener.protocol,
    hostname,
    isInternal: owner.internal.ports.includes(port),
  }
}
