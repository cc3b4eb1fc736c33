import { exactlyOne, ours, type Properties, record, ref, text } from '../../config/schema/builders.ts'
import type {
  BackendPolicies,
  SimpleBackend,
  TlsUpstream,
  UpstreamTcp,
} from '../../model/resources/policies.ts'

/** An HTTP proxy to an upstream, and the policies for connections to the proxy. */
export interface Tunnel {
  readonly proxy: SimpleBackend | NoProxy
  readonly policies: Pick<BackendPolicies, 'backendTLS' | 'backendAuth' | 'tcp'>
}

/** A proxy that every connection is meant to go through, and that there is not. */
export interface NoProxy {
  readonly kind: 'none'
  readonly why: string
}

/** The address of a proxy, with references resolved. */
export interface ProxyAddress {
  /** The addresses of a service, or a host and port, or a unix socket. */
  readonly addresses: readonly (
    { readonly host: string; readonly port: number } | { readonly unix: string }
  )[]
  /** Name or address, for certificates. */
  readonly host: string
  readonly tls: TlsUpstream | undefined
  readonly tcp: UpstreamTcp | undefined
  /** The value of `Proxy-Authorization`. */
  readonly authorization: string | undefined
  /** Why no connection may be opened: then there are no addresses. */
  readonly invalid?: string
}

const auth = record(
  'Credential sent to the proxy in `Proxy-Authorization`.',
  {
    key: ref(
      'BackendKey',
      'The credential. `location` may name the header `proxy-authorization` with another prefix, such as `Basic `. Default: `Bearer `.',
    ),
  },
  { required: ['key'] },
)

const policies = record('Policies for connections to the proxy.', {
  backendTLS: ref('UpstreamTls', 'TLS to the proxy itself.'),
  backendAuth: ref('TunnelAuth'),
  tcp: ref('UpstreamTcp', 'Connect timeout, which includes the response to `CONNECT`, and keepalive probes.'),
})

const tunnel = record(
  'Connects to the backend through an HTTP proxy: with `CONNECT` for TLS, TCP, HTTP/2 and upgrades, with absolute-form requests for plain HTTP. The proxy resolves the host name of the backend.',
  {
    proxy: ref(
      'BackendReference',
      'Address of the proxy: a host, a service, or a named backend with a host.',
    ),
    invalid: ours(
      text('Why there is no proxy, such as a missing service. Every connection fails.', { minLength: 1 }),
    ),
    policies: ref('TunnelPolicies'),
  },
  exactlyOne('proxy', 'invalid'),
)

/** Definitions of proxies to backends. */
export const tunnelDefinitions: Properties = {
  TunnelAuth: auth,
  TunnelPolicies: policies,
  BackendTunnel: tunnel,
}
