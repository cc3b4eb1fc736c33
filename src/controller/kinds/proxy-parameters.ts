import type { KubernetesObject } from './object.ts'

/** `agentgateway.dev/v1alpha1.ProxyParameters`: how the proxies of Gateways run. */
export interface ProxyParameters extends KubernetesObject {
  /** Absent in objects without any field. */
  readonly spec?: ProxyParametersSpec
}

/** The fields of ProxyParameters. */
export interface ProxyParametersSpec extends Overlays {
  readonly workload?: { readonly kind?: WorkloadKind }
  readonly logging?: { readonly level?: string; readonly format?: 'json' | 'text' }
  readonly rawConfig?: Readonly<Record<string, unknown>>
  readonly image?: ImageParameters
  readonly env?: readonly EnvironmentVariable[]
  readonly resources?: ResourceParameters
  /** In seconds. */
  readonly shutdown?: { readonly min: number; readonly max: number }
  readonly istio?: IstioParameters
  readonly spiffe?: SpiffeParameters
  readonly modelCatalog?: {
    readonly sources?: readonly { readonly configMap?: { readonly name: string; readonly key?: string } }[]
  }
}

/** What runs the pods. */
export type WorkloadKind = 'Deployment' | 'DaemonSet'

/** Parts of the name of an image. */
export interface ImageParameters {
  readonly registry?: string
  readonly repository?: string
  readonly tag?: string
  readonly digest?: string
  readonly pullPolicy?: string
}

/** A variable of a container. */
export interface EnvironmentVariable {
  readonly name: string
  readonly value?: string
  readonly valueFrom?: Readonly<Record<string, unknown>>
}

/** `v1.ResourceRequirements`. */
export interface ResourceParameters {
  readonly limits?: Quantities
  readonly requests?: Quantities
  readonly claims?: readonly { readonly name: string; readonly request?: string }[]
}

type Quantities = Readonly<Record<string, string | number>>

/** The mesh that proxies are a part of. */
export interface IstioParameters {
  readonly enabled?: boolean
  readonly caAddress?: string
  readonly trustDomain?: string
  readonly additionalTrustDomains?: readonly string[]
  readonly clusterId?: string
  readonly network?: string
}

/** Where the socket of the SPIFFE Workload API is. */
export interface SpiffeParameters {
  readonly enabled?: boolean
  readonly source?: {
    readonly csi?: { readonly driver?: string }
    readonly hostPath?: { readonly path: string }
    readonly mountPath?: string
    readonly socketName?: string
  }
}

/** A patch of an object that is deployed. */
export interface Overlay {
  readonly metadata?: {
    readonly labels?: Readonly<Record<string, string>>
    readonly annotations?: Readonly<Record<string, string>>
  }
  /** A strategic merge patch. */
  readonly spec?: Readonly<Record<string, unknown>>
}

/** Patches by the objects that they are for. */
export interface Overlays {
  readonly deployment?: Overlay
  readonly daemonSet?: Overlay
  readonly service?: Overlay
  readonly serviceAccount?: Overlay
  readonly podDisruptionBudget?: Overlay
  readonly horizontalPodAutoscaler?: Overlay
}
