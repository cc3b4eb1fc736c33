import type { Gateway } from '../../../src/controller/kinds/gateway-api.ts'
import type { KubernetesObject } from '../../../src/controller/kinds/object.ts'

/** A Gateway at a resourceVersion. */
export const gatewayObject = (
  key: string,
  resourceVersion: string,
  more: Partial<Gateway['metadata']> = {},
): Gateway => {
  const [namespace = '', name = ''] = key.split('/')
  return {
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'Gateway',
    metadata: { namespace, name, uid: `uid-${key}`, resourceVersion, generation: 1, ...more },
    spec: { gatewayClassName: 'agentgateway' },
  }
}

/** A namespace with labels. */
export const namespaceObject = (name: string, labels: Record<string, string>): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, labels, resourceVersion: '1' },
})

/** A bookmark of a watch. */
export const bookmark = (resourceVersion: string): unknown => ({ metadata: { resourceVersion } })
