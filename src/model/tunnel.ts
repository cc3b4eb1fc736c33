import type { BackendPolicies, SimpleBackend, TlsUpstream, UpstreamTcp } from './policies.ts'

/** An HTTP proxy through which an upstream is reached, and how the proxy itself is connected to. */
export interface Tunnel {
  readonly proxy: SimpleBackend
  readonly policies: Pick<BackendPolicies, 'backendTLS' | 'backendAuth' | 'tcp'>
}

/** Where a proxy is, with nothing left that a name in the configuration stands for. */
export interface ProxyPlace {
  /** The addresses of a service, or a host and port, or a unix socket. */
  readonly places: readonly ({ readonly host: string; readonly port: number } | { readonly unix: string })[]
  /** Name or address, for certificates. */
  readonly host: string
  readonly tls: TlsUpstream | undefined
  readonly tcp: UpstreamTcp | undefined
  /** The value of `Proxy-Authorization`. */
  readonly authorization: string | undefined
}
