import type { TlsUpstream, UpstreamHttp } from '../../model/resources/policies.ts'
import type { DialOptions } from '../connect/dial.ts'
import type { HttpProxy } from '../connect/http-proxy.ts'

/**
 * The protocol towards an upstream. `auto` is HTTP/1.1, and HTTP/2 for gRPC, which has no other; `negotiated` is the
 * result of ALPN.
 */
type UpstreamProtocol = 'http1' | 'http2' | 'auto' | 'negotiated'

/** How the connections to an address are made and kept. */
export interface ClientOptions extends DialOptions {
  /** Name or address of the upstream; matters behind a proxy. */
  readonly host?: string
  readonly proxy?: HttpProxy | undefined
  readonly protocol: UpstreamProtocol
  /** How long an idle connection is kept. */
  readonly poolIdleTimeoutMs: number
  /** Connections per endpoint; undefined is unlimited. */
  readonly poolMaxSize: number | undefined
}

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
