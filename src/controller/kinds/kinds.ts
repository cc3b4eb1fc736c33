import type { ConfigMap, EndpointSlice, Namespace, Node, Pod, Secret, Service } from './core.ts'
import type { BackendTLSPolicy, Gateway, GatewayClass, ListenerSet, ReferenceGrant } from './gateway-api.ts'
import type { GRPCRoute } from './grpc-route.ts'
import type { HTTPRoute } from './http-route.ts'
import type { Layer4Route } from './layer-4-route.ts'
import type { InferencePool } from './inference-pool.ts'
import { GATEWAY_NAME_LABEL, type KubernetesObject } from './object.ts'
import type { ProxyBackend, ProxyModel, ProxyPolicy } from './custom-resources.ts'
import type { ProxyParameters } from './proxy-parameters.ts'

/** The objects that the control plane watches, by kind. */
export interface Kinds {
  readonly Namespace: Namespace
  readonly Node: Node
  readonly Service: Service
  readonly Secret: Secret
  readonly ConfigMap: ConfigMap
  readonly EndpointSlice: EndpointSlice
  /** Those of our Gateways, as the next three. */
  readonly Deployment: KubernetesObject
  readonly DaemonSet: KubernetesObject
  readonly PodDisruptionBudget: KubernetesObject
  readonly HorizontalPodAutoscaler: KubernetesObject
  readonly GatewayClass: GatewayClass
  readonly Gateway: Gateway
  readonly ListenerSet: ListenerSet
  readonly HTTPRoute: HTTPRoute
  readonly GRPCRoute: GRPCRoute
  readonly TLSRoute: Layer4Route
  readonly TCPRoute: Layer4Route
  readonly UDPRoute: Layer4Route
  readonly ReferenceGrant: ReferenceGrant
  readonly BackendTLSPolicy: BackendTLSPolicy
  readonly ProxyPolicy: ProxyPolicy
  readonly ProxyBackend: ProxyBackend
  readonly ProxyParameters: ProxyParameters
  readonly ProxyModel: ProxyModel
  readonly InferencePool: InferencePool
  /** Those of inference pools. */
  readonly Pod: Pod
  readonly CustomResourceDefinition: KubernetesObject
}

/** A watched kind. */
export type Kind = keyof Kinds

/** What is switched on by a setting, and needs kinds of its own. */
export type Feature = 'inferenceExtension' | 'models'

/** Where the API server serves a kind. */
export interface KindResource {
  /** Empty for the core group. */
  readonly group: string
  readonly version: string
  readonly plural: string
  readonly isNamespaced: boolean
  /** Whether it is defined by a CRD, which may be installed later. */
  readonly isOptional: boolean
  /** Leaves out objects that the control plane never reads. */
  readonly fieldSelector?: string
  /** The same, by labels. */
  readonly labelSelector?: string
  /** Whether only the metadata is read, which is a fraction of the objects. */
  readonly isMetadataOnly?: boolean
  /** The values that are read whatever their size. */
  readonly dataKeys?: readonly string[]
  /** How long other values may be: policies name them by any key, and what is longer is none of theirs. */
  readonly maxDataLength?: number
  /** Whether its status is that of one controller, so that the field managers of the status have to be known. */
  readonly isStatusManaged?: boolean
  /** Watched only with this feature. */
  readonly feature?: Feature
}

const core = { group: '', version: 'v1', isNamespaced: true, isOptional: false }
const deployed = {
  ...core,
  isMetadataOnly: true,
  labelSelector: GATEWAY_NAME_LABEL,
}
const gatewayApi = {
  group: 'gateway.networking.k8s.io',
  version: 'v1',
  isNamespaced: true,
  isOptional: true,
}
const own = { group: 'agentgateway.dev', version: 'v1alpha1', isNamespaced: true, isOptional: true }

/** The watched kinds. */
export const kinds: Readonly<Record<Kind, KindResource>> = {
  Namespace: { ...core, plural: 'namespaces', isNamespaced: false, isMetadataOnly: true },
  Node: { ...core, plural: 'nodes', isNamespaced: false, isMetadataOnly: true },
  Service: { ...core, plural: 'services' },
  Secret: {
    ...core,
    plural: 'secrets',
    fieldSelector: 'type!=helm.sh/release.v1,type!=kubernetes.io/service-account-token',
    // Key pairs and authorities, those of xDS among them, and session keys.
    dataKeys: ['tls.crt', 'tls.key', 'ca.crt', 'ca.key', 'next.crt', 'next.key', 'key', '.htaccess'],
    maxDataLength: 16_384,
  },
  ConfigMap: {
    ...core,
    plural: 'configmaps',
    dataKeys: ['ca.crt', 'jwks-store', 'mesh'],
    maxDataLength: 4_096,
  },
  EndpointSlice: { ...core, group: 'discovery.k8s.io', plural: 'endpointslices' },
  Deployment: { ...deployed, group: 'apps', plural: 'deployments' },
  DaemonSet: { ...deployed, group: 'apps', plural: 'daemonsets' },
  PodDisruptionBudget: { ...deployed, group: 'policy', plural: 'poddisruptionbudgets' },
  HorizontalPodAutoscaler: {
    ...deployed,
    group: 'autoscaling',
    version: 'v2',
    plural: 'horizontalpodautoscalers',
  },
  CustomResourceDefinition: {
    group: 'apiextensions.k8s.io',
    version: 'v1',
    plural: 'customresourcedefinitions',
    isNamespaced: false,
    isOptional: false,
    isMetadataOnly: true,
  },
  GatewayClass: { ...gatewayApi, plural: 'gatewayclasses', isNamespaced: false },
  Gateway: { ...gatewayApi, plural: 'gateways', isStatusManaged: true },
  ListenerSet: { ...gatewayApi, plural: 'listenersets', isStatusManaged: true },
  HTTPRoute: { ...gatewayApi, plural: 'httproutes' },
  GRPCRoute: { ...gatewayApi, plural: 'grpcroutes' },
  TLSRoute: { ...gatewayApi, plural: 'tlsroutes' },
  TCPRoute: { ...gatewayApi, plural: 'tcproutes' },
  UDPRoute: { ...gatewayApi, plural: 'udproutes' },
  ReferenceGrant: { ...gatewayApi, version: 'v1beta1', plural: 'referencegrants' },
  BackendTLSPolicy: { ...gatewayApi, plural: 'backendtlspolicies' },
  ProxyPolicy: { ...own, plural: 'proxypolicies' },
  ProxyBackend: { ...own, plural: 'proxybackends', isStatusManaged: true },
  ProxyParameters: { ...own, plural: 'proxyparameters' },
  ProxyModel: { ...own, plural: 'proxymodels', feature: 'models' },
  InferencePool: {
    ...gatewayApi,
    group: 'inference.networking.k8s.io',
    plural: 'inferencepools',
    feature: 'inferenceExtension',
  },
  Pod: {
    ...core,
    plural: 'pods',
    // Those that have ended keep their labels and their address.
    fieldSelector: 'status.phase!=Succeeded,status.phase!=Failed',
    feature: 'inferenceExtension',
  },
}

/** The kinds that are watched with these features. */
export const watchedKinds = (features: readonly Feature[] = []): readonly Kind[] =>
  (Object.keys(kinds) as readonly Kind[]).filter((kind) => {
    const { feature } = kinds[kind]
    return feature === undefined || features.includes(feature)
  })
