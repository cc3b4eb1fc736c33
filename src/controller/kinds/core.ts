/**
 * Kubernetes' own kinds, as far as the control plane reads them.
 *
 * @module
 */
import type { KubernetesObject } from './object.ts'

/** A namespace. */
export type Namespace = KubernetesObject

/** A node. Its labels have region and zone. */
export type Node = KubernetesObject

/** `v1.Service`. */
export interface Service extends KubernetesObject {
  readonly spec?: {
    readonly type?: 'ClusterIP' | 'NodePort' | 'LoadBalancer' | 'ExternalName'
    readonly clusterIP?: string
    readonly clusterIPs?: readonly string[]
    readonly ipFamilies?: readonly string[]
    readonly externalName?: string
    readonly ports?: readonly ServicePort[]
    readonly selector?: Readonly<Record<string, string>>
    readonly sessionAffinity?: 'None' | 'ClientIP'
    readonly sessionAffinityConfig?: { readonly clientIP?: { readonly timeoutSeconds?: number } }
    readonly trafficDistribution?: string
    readonly publishNotReadyAddresses?: boolean
  }
  readonly status?: {
    readonly loadBalancer?: {
      readonly ingress?: readonly { readonly ip?: string; readonly hostname?: string }[]
    }
  }
}

/** A port of a service. */
export interface ServicePort {
  readonly name?: string
  readonly port: number
  readonly protocol?: string
  readonly targetPort?: number | string
  readonly appProtocol?: string
}

/** `discovery.k8s.io/v1.EndpointSlice`. */
export interface EndpointSlice extends KubernetesObject {
  readonly addressType: 'IPv4' | 'IPv6' | 'FQDN'
  readonly endpoints?: readonly Endpoint[]
  readonly ports?: readonly {
    readonly name?: string
    readonly port?: number
    readonly protocol?: string
    readonly appProtocol?: string
  }[]
}

/** An endpoint of a slice. */
export interface Endpoint {
  readonly addresses: readonly string[]
  readonly conditions?: {
    readonly ready?: boolean
    readonly serving?: boolean
    readonly terminating?: boolean
  }
  readonly nodeName?: string
  readonly zone?: string
  readonly targetRef?: { readonly kind?: string; readonly name?: string; readonly namespace?: string }
  readonly hints?: { readonly forZones?: readonly { readonly name: string }[] }
}

/** `v1.Pod`, as far as it is kept. */
export interface Pod extends KubernetesObject {
  readonly spec?: { readonly nodeName?: string }
  readonly status?: {
    readonly podIP?: string
    /** The condition `Ready`. */
    readonly conditions?: readonly { readonly type: string; readonly status: string }[]
  }
}

/** `v1.Secret`. Values are base64. */
export interface Secret extends KubernetesObject {
  readonly type?: string
  readonly data?: Readonly<Record<string, string>>
  /** The keys of values that are too long to be kept: those of no policy, or a mistake that has to be named. */
  readonly longKeys?: readonly string[]
}

/** `v1.ConfigMap`. */
export interface ConfigMap extends KubernetesObject {
  readonly data?: Readonly<Record<string, string>>
  readonly binaryData?: Readonly<Record<string, string>>
}
