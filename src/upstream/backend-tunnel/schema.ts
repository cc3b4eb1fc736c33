import { type Properties, record, ref } from '../../config/schema/builders.ts'
import type {
  BackendPolicies,
  SimpleBackend,
  TlsUpstream,
  UpstreamTcp,
} from '../../model/resources/policies.ts'

/** An HTTP proxy through which an upstream is reached, and how the proxy itself is connected to. */
export interface Tunnel {
  readonly proxy: SimpleBackend
  readonly policies: Pick<BackendPolicies, 'backendTLS' | 'backendAuth' | 'tcp'>
}

/** Where a proxy is, with nothing left that a name in the configuration stands for. */
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
}

const auth = record(
  'What the gateway says to the proxy in `Proxy-Authorization`.',
  {
    key: ref(
      'BackendKey',
      'The credential. `location` may give the header `proxy-authorization` with another prefix, such as `Basic `. Default: `Bearer `.',
    ),
  },
  { required: ['key'] },
)

const policies = record('How the proxy is connected to.', {
  backendTLS: ref('UpstreamTls', 'TLS with the proxy itself.'),
  backendAuth: ref('TunnelAuth'),
  tcp: ref('UpstreamTcp', 'How long connecting may take, the answer to `CONNECT` included, and probes.'),
})

const tunnel = record(
  'Reaches the backend through an HTTP proxy: `CONNECT` for TLS, TCP, HTTP/2 and upgrades, requests with a whole URL for plain HTTP. The proxy looks up the name of the backend.',
  {
    proxy: ref('BackendReference', 'The proxy: a host, a service, or a named backend with a host.'),
    policies: ref('TunnelPolicies'),
  },
  { required: ['proxy'] },
)

/** Definitions about proxies in front of backends. */
export const tunnelDefinitions: Properties = {
  TunnelAuth: auth,
  TunnelPolicies: policies,
  BackendTunnel: tunnel,
}
