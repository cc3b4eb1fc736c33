import type { KubernetesObjects } from './kubernetes-api.ts'

const CONTROLLER = 'agentgateway.dev/agentgateway'
const gatewayApi = 'apis/gateway.networking.k8s.io/v1'

const conditions = (...wrong: readonly object[]) => [
  { type: 'Accepted', status: 'True', reason: 'Accepted', message: '', observedGeneration: 1 },
  { type: 'Programmed', status: 'True', reason: 'Programmed', message: '', observedGeneration: 1 },
  ...wrong,
]

const served = (...plurals: readonly string[]) => ({
  kind: 'APIResourceList',
  resources: plurals.map((name) => ({ name })),
})

/** A pod of a Gateway or of the controller. */
export const checkedPod = (name: string, labels: Readonly<Record<string, string>>, isReady = true) => ({
  metadata: { name, namespace: 'apps', labels, creationTimestamp: '2026-01-01T00:00:00Z' },
  status: {
    phase: 'Running',
    conditions: [
      { type: 'Ready', status: isReady ? 'True' : 'False', ...(!isReady && { message: 'starting' }) },
    ],
  },
})

/** A route of the Gateway `web`, with a condition that is not in order. */
export const checkedRoute = (name: string, parent: string, wrong?: object) => ({
  metadata: { name, namespace: 'apps', generation: 1 },
  spec: { parentRefs: [{ name: parent }] },
  status: {
    parents: [
      {
        parentRef: { group: 'gateway.networking.k8s.io', kind: 'Gateway', name: parent },
        controllerName: CONTROLLER,
        conditions: conditions(...(wrong ? [wrong] : [])),
      },
    ],
  },
})

/** A cluster with a Gateway `web` of two proxies and a controller with as many replicas, where everything is in order. */
export const checkedCluster = (others: KubernetesObjects = {}): KubernetesObjects => ({
  [gatewayApi]: served('gatewayclasses', 'gateways', 'httproutes', 'backendtlspolicies'),
  [`${gatewayApi}/gatewayclasses/agentgateway`]: {
    metadata: { name: 'agentgateway', generation: 1 },
    spec: { controllerName: CONTROLLER },
    status: { conditions: conditions() },
  },
  [`${gatewayApi}/gatewayclasses/other`]: {
    metadata: { name: 'other', generation: 1 },
    spec: { controllerName: 'example.com/other' },
  },
  [`${gatewayApi}/namespaces/apps/gateways/web`]: {
    metadata: { name: 'web', namespace: 'apps', generation: 1 },
    spec: { gatewayClassName: 'agentgateway', listeners: [{ name: 'http' }] },
    status: { conditions: conditions(), listeners: [{ name: 'http', conditions: conditions() }] },
  },
  [`${gatewayApi}/namespaces/apps/gateways/foreign`]: {
    metadata: { name: 'foreign', namespace: 'apps', generation: 1 },
    spec: { gatewayClassName: 'other' },
  },
  [`${gatewayApi}/namespaces/apps/httproutes/cart`]: checkedRoute('cart', 'web'),
  'api/v1/namespaces/apps/pods/web-1': checkedPod('web-1', {
    'gateway.networking.k8s.io/gateway-name': 'web',
  }),
  'api/v1/namespaces/apps/pods/web-2': checkedPod('web-2', {
    'gateway.networking.k8s.io/gateway-name': 'web',
  }),
  'api/v1/namespaces/apps/pods/controller-1': checkedPod('controller-1', { agentgateway: 'agentgateway' }),
  'api/v1/namespaces/apps/pods/controller-2': checkedPod('controller-2', { agentgateway: 'agentgateway' }),
  ...others,
})
