import type { BackendAuth } from '../model/backend-auth.ts'
import type { SimpleBackend } from '../model/policies.ts'
import type { Resources } from '../model/resources.ts'
import type { ProxyPlace, Tunnel } from '../model/tunnel.ts'
import { serviceNamed, servicePlaces } from './service-places.ts'

/**
 * The proxy that a tunnel leads through. What is said about the way to a named backend or a service holds where the tunnel says nothing.
 * A proxy that does not exist is nowhere, so that nothing goes past it.
 */
export const proxyPlace = (
  { proxy, policies }: Tunnel,
  resources: Pick<Resources, 'services' | 'workloads' | 'backends'>,
): ProxyPlace => {
  const own =
    proxy.kind === 'backend'
      ? resources.backends.find(({ key }) => key === proxy.key)?.policies
      : proxy.kind === 'service'
        ? serviceNamed(proxy.name, resources)?.policies
        : undefined
  const { backendTLS, backendAuth, tcp } = { ...own, ...policies }
  return {
    ...whereabouts(proxy, resources),
    tls: backendTLS,
    tcp,
    authorization: backendAuth && valueOf(backendAuth),
  }
}

const whereabouts = (
  proxy: SimpleBackend,
  resources: Pick<Resources, 'services' | 'workloads' | 'backends'>,
): Pick<ProxyPlace, 'places' | 'host'> => {
  if (proxy.kind === 'service') {
    const service = serviceNamed(proxy.name, resources)
    const places = service ? servicePlaces(service, proxy.port, resources.workloads) : []
    return {
      places: places.map((place) => ('ip' in place ? { host: place.ip, port: place.port } : place)),
      host: service?.hostname ?? '',
    }
  }
  const spec =
    proxy.kind === 'backend' ? resources.backends.find(({ key }) => key === proxy.key)?.spec : undefined
  const target = proxy.kind === 'host' ? proxy.target : spec?.type === 'static' ? spec.target : undefined
  if (!target) return { places: [], host: '' }
  return { places: [target], host: 'unix' in target ? '' : target.host }
}

const valueOf = (auth: BackendAuth): string | undefined => {
  if (!('key' in auth) || auth.key.location.kind !== 'header') return undefined
  return (auth.key.location.prefix ?? '') + auth.key.value.secret
}
