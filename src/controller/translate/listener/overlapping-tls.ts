import type { ListenerClaim } from './listener-conflicts.ts'
import { protocolGroup } from './listener-protocol.ts'

/**
 * Whether the host names of another TLS listener on the port of a listener overlap with its own. A client may then reuse
 * a connection that it made for one of them for the other.
 */
export const hasOverlappingTls = (claim: ListenerClaim, served: readonly ListenerClaim[]): boolean =>
  protocolGroup(claim.protocol) === 'TLS' &&
  served.includes(claim) &&
  served.some(
    (other) =>
      other !== claim &&
      other.port === claim.port &&
      protocolGroup(other.protocol) === 'TLS' &&
      doHostsOverlap(claim.hostname, other.hostname),
  )

const doHostsOverlap = (a: string | undefined, b: string | undefined): boolean =>
  a === undefined || b === undefined || a === b || includesHost(a, b) || includesHost(b, a)

/** Whether the names of a wildcard include those of another name. */
const includesHost = (wildcard: string, name: string): boolean =>
  wildcard.startsWith('*.') && name.endsWith(wildcard.slice(1))
