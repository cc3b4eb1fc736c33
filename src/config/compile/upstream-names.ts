import type { Exchange } from '../../model/exchange/exchange.ts'
import type { UpstreamNames } from '../../operators/backend-auth/aws-sigv4.ts'
import type { HttpUpstream } from '../../upstream/upstream.ts'

export type { UpstreamNames }

/** The host names of an upstream. */
export const upstreamNames = (upstream: HttpUpstream): UpstreamNames => {
  const own = (x: Exchange): string | undefined => {
    const name = upstream.authority?.(x)
    // If clients select among allowed hosts, the selected host is the name.
    return name ?? (upstream.labels.type === 'dynamic' ? x.request.authority : undefined)
  }
  return {
    own,
    sent: (x) => (x.request.authorityFixed ? x.request.authority : (own(x) ?? x.request.authority)),
  }
}
