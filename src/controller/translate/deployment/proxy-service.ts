import type { Gateway } from '../../kinds/gateway-api.ts'
import type { KubernetesObject } from '../../kinds/object.ts'
import type { DeploymentSettings } from './deployment-settings.ts'
import type { GatewayPort } from './gateway-ports.ts'
import { deployedMetadata, podSelector } from './gateway-metadata.ts'
import { deploymentName } from './names.ts'

/** The Service of a Gateway, which gets its addresses; none without any port. */
export const proxyServices = (
  gateway: Gateway,
  ports: readonly GatewayPort[],
  { version, noListenersPort }: DeploymentSettings,
): readonly KubernetesObject[] => {
  const exposed =
    ports.length === 0 && noListenersPort !== 0
      ? [{ port: noListenersPort, protocol: 'TCP' } as const]
      : ports
  return exposed.length === 0 ? [] : [serviceOn(gateway, exposed, version)]
}

const serviceOn = (
  gateway: Gateway,
  ports: readonly GatewayPort[],
  version: string,
): KubernetesObject & { readonly spec: object } => {
  const address = requestedAddress(gateway)
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: deployedMetadata(gateway, deploymentName(gateway.metadata.name), version),
    spec: {
      type: 'LoadBalancer',
      ...(address !== undefined && { loadBalancerIP: address }),
      selector: podSelector(gateway),
      ports: ports.map(({ port, protocol }) => ({
        name: `listener-${String(port)}${protocol === 'UDP' ? '-udp' : ''}`,
        protocol,
        port,
        targetPort: port,
      })),
    },
  }
}

/**
 * The first requested address. A Service has one field for one address; the status of the Gateway says which of
 * the requested addresses it has.
 */
const requestedAddress = ({ spec }: Gateway): string | undefined =>
  spec.addresses?.find(({ type = 'IPAddress', value = '' }) => type === 'IPAddress' && value !== '')?.value
