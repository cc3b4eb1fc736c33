import type { ListenerClaim } from './listener-conflicts.ts'
import { protocolGroup } from './listener-protocol.ts'

/**
 * The TLS listeners whose host names overlap with those of another one on their port. A client may then reuse a
 * connection that it made for one of them for the other.
 *
 * @param served At most as many listeners as a Gateway may have.
 */
export const overlappingTls = <Claim extends ListenerClaim>(served: readonly Claim[]): ReadonlySet<Claim> => {
  const byPort = Map.groupBy(
    served.filter(({ protocol }) => protocolGroup(protocol) === 'TLS'),
    ({ port }) => port,
  )
  return new Set(
    [...byPort.values()].flatMap((claims) =>
      claims.filter((claim) =>
        claims.some((other) => other !== claim && doHostsOverlap(claim.hostname, other.hostname)),
      ),
    ),
  )
}

const doHostsOverlap = (a: string | undefined, b: string | undefined): boolean =>
  a === undefined || b === undefined || a === b || includesHost(a, b) || includesHost(b, a)

/** Whether the names of a wildcard include those of another name. */
const includesHost = (wildcard: string, name: string): boolean =>
  wildcard.startsWith('*.') && name.endsWith(wildcard.slice(1))
