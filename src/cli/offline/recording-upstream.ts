import { emptyBody } from '../../model/exchange/body.ts'
import type { Exchange } from '../../model/exchange/exchange.ts'
import type { BackendPolicies, SimpleBackend } from '../../model/resources/policies.ts'
import type { BackendTarget, Resources } from '../../model/resources/resources.ts'
import type { BackendLabels } from '../../model/resources/snapshot.ts'
import { parseAuthority } from '../../protocols/http/authority.ts'
import { parseIp } from '../../protocols/ip/ip-address.ts'
import type { UpstreamCall, UpstreamEvents, UpstreamRequest } from '../../upstream/call.ts'
import { permission, refusedDestination } from '../../upstream/dynamic/allowed-destinations.ts'
import { failedCall } from '../../upstream/http/failed-call.ts'
import { outgoing } from '../../upstream/http/upstream-request.ts'
import type { HttpUpstream } from '../../upstream/upstream.ts'

/** A request that would have been sent to an upstream. */
export interface RecordedCall extends UpstreamRequest {
  readonly backend: BackendLabels
  readonly x: Exchange
}

/** An upstream that records what it is called with, and responds with an empty 200. */
export const recordingUpstream = (
  real: HttpUpstream,
  onCall: (call: RecordedCall) => void,
  refuses: (x: Exchange) => string | undefined = () => undefined,
): HttpUpstream => ({
  labels: real.labels,
  authority: (x) => real.authority?.(x),
  call(x: Exchange, events: UpstreamEvents): UpstreamCall {
    const reason = refuses(x)
    if (reason !== undefined) return failedCall(events, refusedDestination(reason))
    onCall({ ...outgoing(x.request, real.authority?.(x)), backend: x.upstream.backend ?? real.labels, x })
    let isAborted = false
    queueMicrotask(() => {
      if (!isAborted) events.head(200, [], emptyBody)
      queueMicrotask(() => {
        if (!isAborted) events.end()
      })
    })
    return {
      abort() {
        isAborted = true
      },
    }
  },
})

/**
 * Why a dynamic backend would refuse what a request names, as far as names and literal addresses tell; the addresses
 * of a name are checked once they are known.
 */
export const dynamicRefusal = (
  real: HttpUpstream,
  target: BackendTarget | SimpleBackend,
  { backendTLS }: BackendPolicies,
  { backends }: Resources,
): ((x: Exchange) => string | undefined) | undefined => {
  const spec = target.kind === 'backend' ? backends.find(({ key }) => key === target.key)?.spec : undefined
  if (spec?.type !== 'dynamic') return undefined
  const allowed = permission(spec.allow)
  return (x) => {
    const named = spec.target === undefined ? x.request.authority : real.authority?.(x)
    const authority = named === undefined ? undefined : parseAuthority(named)
    if (!authority) return 'no destination, or a malformed one'
    const port = authority.port ?? (backendTLS || x.request.scheme === 'https' ? 443 : 80)
    const host = authority.host.startsWith('[') ? authority.host.slice(1, -1) : authority.host
    if (!allowed.names(authority, port)) return `${authority.host}:${String(port)} is not on the list`
    return parseIp(host) && !allowed.reaches(host) ? `${host} may not be reached` : undefined
  }
}
