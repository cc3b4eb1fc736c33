import type { CheckedKind } from './cluster-reader.ts'

const gatewayApi = { group: 'gateway.networking.k8s.io', versions: ['v1'] }

/** The kinds that are checked. Those that a cluster does not have are left out. */
export const checkedKinds = {
  GatewayClass: { ...gatewayApi, kind: 'GatewayClass', plural: 'gatewayclasses', isClusterScoped: true },
  Gateway: { ...gatewayApi, kind: 'Gateway', plural: 'gateways' },
  ListenerSet: { ...gatewayApi, kind: 'ListenerSet', plural: 'listenersets' },
  HTTPRoute: { ...gatewayApi, kind: 'HTTPRoute', plural: 'httproutes' },
} as const satisfies Readonly<Record<string, CheckedKind>>

const agentgateway = { group: 'agentgateway.dev', versions: ['v1alpha1'] }

/** Kinds of routes, those included that the controller may not support: their routes attach to nothing. */
export const routeKinds: readonly CheckedKind[] = [
  checkedKinds.HTTPRoute,
  { ...gatewayApi, kind: 'GRPCRoute', plural: 'grpcroutes' },
  { ...gatewayApi, kind: 'TLSRoute', plural: 'tlsroutes', versions: ['v1', 'v1alpha3', 'v1alpha2'] },
  { ...gatewayApi, kind: 'TCPRoute', plural: 'tcproutes', versions: ['v1', 'v1alpha2'] },
  { ...gatewayApi, kind: 'UDPRoute', plural: 'udproutes', versions: ['v1', 'v1alpha2'] },
  // Their status has the parents that they name, as that of routes does.
  { ...agentgateway, kind: 'ProxyModel', plural: 'proxymodels' },
]

/** Kinds of policies: their status has the Gateways that they have an effect on. */
export const policyKinds: readonly CheckedKind[] = [
  { ...gatewayApi, kind: 'BackendTLSPolicy', plural: 'backendtlspolicies', versions: ['v1', 'v1alpha3'] },
  { ...agentgateway, kind: 'ProxyPolicy', plural: 'proxypolicies' },
]

/** Kinds of backends: what is wrong with them is in their own conditions, or in those for Gateways that use them. */
export const checkedBackendKinds: readonly CheckedKind[] = [
  { ...agentgateway, kind: 'ProxyBackend', plural: 'proxybackends' },
  {
    group: 'inference.networking.k8s.io',
    versions: ['v1'],
    kind: 'InferencePool',
    plural: 'inferencepools',
  },
]
