import type { TlsUpstream, UpstreamHttp } from '../model/policies.ts'

/**
 * What an upstream is spoken to in. `auto` is HTTP/1.1, and HTTP/2 for gRPC, which has no other; `negotiated` is what the
 * TLS handshake says.
 */
export type UpstreamProtocol = 'http1' | 'http2' | 'auto' | 'negotiated'

/** The protocol that policies ask for. A client's own version counts for nothing: it says nothing about the upstream. */
export const protocolOf = (
  http: UpstreamHttp | undefined,
  tls: TlsUpstream | undefined,
): UpstreamProtocol => {
  if (http?.version === '2') return 'http2'
  if (http?.version === '1.1') return 'http1'
  if (!tls?.alpn?.includes('h2')) return 'auto'
  return tls.alpn.includes('http/1.1') ? 'negotiated' : 'http2'
}
