import type { BackendAuth } from '../../operators/backend-auth/schema/normal-form.ts'
import type { ResourceLookup } from '../../model/resources/resource-index.ts'
import type { ProxyAddress, Tunnel } from '../backend-tunnel/schema.ts'
import { serviceEndpoints } from '../load-balancing/service-endpoints.ts'

/**
 * The proxy that a tunnel leads through. Connection settings of a named backend or a service apply where the tunnel
 * sets none. A proxy that is missing, or marked as invalid, resolves to no address, so that no connection bypasses it.
 */
export const proxyAddress = ({ proxy, policies }: Tunnel, resources: ResourceLookup): ProxyAddress => {
  const own =
    proxy.kind === 'backend'
      ? resources.backend(proxy.key)?.policies
      : proxy.kind === 'service'
        ? resources.service(proxy.name)?.policies
        : undefined
  const { backendTLS, backendAuth, tcp } = { ...own, ...policies }
  const invalid = proxy.kind === 'none' ? proxy.why : missingCredential(backendAuth)
  return {
    ...(invalid === undefined ? whereabouts(proxy, resources) : { addresses: [], host: '', invalid }),
    tls: backendTLS,
    tcp,
    authorization: backendAuth && valueOf(backendAuth),
  }
}

const whereabouts = (
  proxy: Tunnel['proxy'],
  resources: ResourceLookup,
): Pick<ProxyAddress, 'addresses' | 'host'> => {
  if (proxy.kind === 'service') {
    const service = resources.service(proxy.name)
    const endpoints = service ? serviceEndpoints(service, proxy.port, resources) : []
    return {
      addresses: endpoints.map(({ address: { ip, port } }) => ({ host: ip, port })),
      host: service?.hostname ?? '',
    }
  }
  const spec = proxy.kind === 'backend' ? resources.backend(proxy.key)?.spec : undefined
  const target = proxy.kind === 'host' ? proxy.target : spec?.type === 'static' ? spec.target : undefined
  if (!target) return { addresses: [], host: '' }
  return { addresses: [target], host: 'unix' in target ? '' : target.host }
}

/** A proxy is not asked without the credential that it is meant to see. */
const missingCredential = (auth: BackendAuth | undefined): string | undefined =>
  auth && 'invalid' in auth ? auth.invalid : undefined

const valueOf = (auth: BackendAuth): string | undefined => {
  if (!('key' in auth) || auth.key.location.kind !== 'header') return undefined
  return (auth.key.location.prefix ?? '') + auth.key.value.secret
}
