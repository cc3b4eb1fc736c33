import type { TlsUpstream, UpstreamHttp } from '../../model/resources/policies.ts'

/**
 * The protocol towards an upstream. `auto` is HTTP/1.1, and HTTP/2 for gRPC, which has no other; `negotiated` is the
 * result of ALPN.
 */
export type UpstreamProtocol = 'http1' | 'http2' | 'auto' | 'negotiated'

/**
 * The protocol that policies choose. The client's own version does not count: it implies nothing about the upstream.
 */
export const protocolOf = (
  http: UpstreamHttp | undefined,
  tls: TlsUpstream | undefined,
): UpstreamProtocol => {
  if (http?.version === '2') return 'http2'
  if (http?.version === '1.1') return 'http1'
  if (!tls?.alpn?.includes('h2')) return 'auto'
  return tls.alpn.includes('http/1.1') ? 'negotiated' : 'http2'
}
