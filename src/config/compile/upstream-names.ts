import type { Exchange } from '../../model/exchange/exchange.ts'
import type { UpstreamNames } from '../../operators/backend-auth/aws-sigv4.ts'
import type { HttpUpstream } from '../../upstream/upstream.ts'

export type { UpstreamNames }

/** The names of an upstream: its own, and the authority of requests to it. */
export const upstreamNames = (upstream: HttpUpstream): UpstreamNames => {
  const own = (x: Exchange): string | undefined => {
    const name = upstream.authority?.(x)
    // Clients of a dynamic backend choose the host: it is the name.
    return name ?? (upstream.labels.type === 'dynamic' ? x.request.authority : undefined)
  }
  return {
    own,
    sent: (x) => (x.request.authorityFixed ? x.request.authority : (own(x) ?? x.request.authority)),
  }
}
