import { isDatagrams, protocolGroup } from './listener-protocol.ts'

/** What distinguishes a listener from others of its Gateway. */
export interface ListenerClaim {
  readonly port: number
  readonly protocol: string
  readonly hostname: string | undefined
  readonly isInternal: boolean
}

/** A reason why a listener cannot be served beside another. */
export type ListenerConflict = 'BindModeConflict' | 'ProtocolConflict' | 'HostnameConflict'

/**
 * The conflicts among listeners, by listener. Objects of higher precedence come first: their listeners win against those
 * of later objects. Listeners of one object have the same precedence, and if they conflict, none of them is served.
 */
export const listenerConflicts = <Claim extends ListenerClaim>(
  objects: readonly (readonly Claim[])[],
): ReadonlyMap<Claim, ListenerConflict> => {
  const conflicts = new Map<Claim, ListenerConflict>()
  const established = new Map<number, Claim[]>()
  for (const claims of objects) {
    const contenders: Claim[] = []
    for (const claim of claims) {
      const conflict = conflictWith(claim, established.get(claim.port) ?? [])
      if (conflict === undefined) contenders.push(claim)
      else conflicts.set(claim, conflict)
    }
    const byPort = Map.groupBy(contenders, ({ port }) => port)
    for (const claim of contenders) {
      const others = (byPort.get(claim.port) ?? []).filter((other) => other !== claim)
      const conflict = conflictWith(claim, others)
      if (conflict !== undefined) conflicts.set(claim, conflict)
    }
    // Those in conflict with each other exclude later objects as well: only their owner can decide between them.
    for (const [port, list] of byPort) established.set(port, [...(established.get(port) ?? []), ...list])
  }
  return conflicts
}

const conflictWith = (
  claim: ListenerClaim,
  others: readonly ListenerClaim[],
): ListenerConflict | undefined => {
  if (others.some(({ isInternal }) => isInternal !== claim.isInternal)) return 'BindModeConflict'
  const group = protocolGroup(claim.protocol)
  const rivals = others.filter((other) => isDatagrams(other) === isDatagrams(claim))
  if (rivals.some(({ protocol }) => protocolGroup(protocol) !== group)) return 'ProtocolConflict'
  return rivals.some(({ hostname }) => hostname === claim.hostname) ? 'HostnameConflict' : undefined
}
