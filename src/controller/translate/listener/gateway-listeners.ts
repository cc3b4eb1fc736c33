import { defineQuery, type GraphReads, type Query } from '../../graph/query.ts'
import type { Gateway } from '../../kinds/gateway-api.ts'
import { attempt } from '../attempt.ts'
import { ownGateway } from '../gateway/own-gateway.ts'
import { allowedNamespaces } from '../namespaces/allowed-namespaces.ts'
import { listenerConditions } from './listener-conditions.ts'
import { listenerConflicts } from './listener-conflicts.ts'
import { type ClaimingListener, listenerClaims } from './listener-claims.ts'
import { listenerFindings, type ListenerNeighbours, unreadableListener } from './listener-findings.ts'
import { isSupportedProtocol, supportedKinds } from './listener-protocol.ts'
import { listenerKey } from './listener-owner.ts'
import type { GatewayListenerState } from './listener-state.ts'
import { hasModels } from '../model/has-models.ts'
import { overlappingTls } from './overlapping-tls.ts'

/**
 * The listeners of a Gateway and of the ListenerSets that it allows, in the order of precedence; none if the Gateway is
 * not ours. Key: that of the Gateway.
 */
export const gatewayListeners: Query<readonly GatewayListenerState[]> = defineQuery(
  'gatewayListeners',
  (reads, key) => {
    const gateway = ownGateway(reads, key)
    if (!gateway) return []
    const claims = listenerClaims(reads, gateway)
    const all = claims.flat()
    const within = new Set(all.slice(0, maxListeners))
    const conflicts = listenerConflicts(
      claims.map((list) => list.filter((claim) => within.has(claim) && isSupportedProtocol(claim.protocol))),
    )
    const overlapping = overlappingTls(all.filter((claim) => within.has(claim) && !conflicts.has(claim)))
    return all.map((claim) =>
      listenerState(reads, gateway, key, claim, {
        conflict: conflicts.get(claim),
        hasOverlappingTls: overlapping.has(claim),
        isBeyondLimit: !within.has(claim),
      }),
    )
  },
)

/** Each may open a port on every proxy of the Gateway. Those of lower precedence are left out. */
const maxListeners = 1024

const listenerState = (
  reads: GraphReads,
  gateway: Gateway,
  gatewayKey: string,
  { owner, listener, port, hostname, isInternal }: ClaimingListener,
  neighbours: ListenerNeighbours,
): GatewayListenerState => {
  const found = attempt(() => {
    const { tls, findings } = listenerFindings(reads, gateway, owner, listener, neighbours)
    const allowed = allowedNamespaces(listener.allowedRoutes?.namespaces, 'Same', owner.namespace)
    return { tls, findings, kinds: supportedKinds(listener, hasModels(reads)).kinds, allowed }
  })
  const { tls, findings, kinds, allowed } = found.value ?? unreadableListener(listener, owner, neighbours)
  const state: GatewayListenerState = {
    key: listenerKey(gatewayKey, owner, listener.name),
    gateway: gatewayKey,
    listenerSet: owner.listenerSet,
    name: listener.name,
    port,
    protocol: listener.protocol,
    hostname,
    isInternal,
    supportedKinds: kinds,
    allowedNamespaces: allowed,
    isAccepted: !findings.notAccepted,
    isProgrammed: !findings.notProgrammed,
    isConflicted: findings.conflicted !== undefined,
    tls,
    conditions: listenerConditions(findings),
  }
  return 'failure' in found ? { ...state, failure: found.failure } : state
}
