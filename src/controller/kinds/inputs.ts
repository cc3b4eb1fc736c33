import type { Feature, Kinds } from './kinds.ts'

/** How the last attempt to deploy the proxies of a Gateway ended. */
export interface GatewayDeployment {
  /** The `metadata.generation` of the Gateway that was deployed. */
  readonly generation: number
  /** Absent if it succeeded. */
  readonly failure?: {
    readonly reason: 'InvalidParameters' | 'DeploymentFailed'
    readonly message: string
  }
}

/** Everything that the translation reads, by kind: objects of the cluster, and results of the control plane's own. */
export interface Inputs extends Kinds {
  /** By the key of the Gateway. */
  readonly GatewayDeployment: GatewayDeployment
}

/** A kind of input. */
export type InputKind = keyof Inputs

/** Settings of the control plane that the translation depends on. */
export interface TranslationSettings {
  /** `agentgateway.dev/agentgateway` by default: what classes and statuses are ours. */
  readonly controllerName: string
  /** The class that the control plane creates; `agentgateway` by default. */
  readonly gatewayClassName: string
  /** Of the names of services; `cluster.local` by default. */
  readonly clusterDomain: string
  /**
   * Which references to backends of other namespaces need a ReferenceGrant: those of routes, which is the default, those
   * of policies too, or none. Certificates always need one.
   */
  readonly backendGrants?: 'route' | 'route-and-policy' | 'none'
  /** The namespace of the control plane; `agentgateway-system` by default. */
  readonly systemNamespace?: string
  /** What is switched on; nothing by default. */
  readonly features?: readonly Feature[]
  /** Parameters of classes that refer to none themselves, by the name of the class. */
  readonly classParameters?: ReadonlyMap<string, ClassParametersReference>
  readonly mesh?: MeshSettings
}

/** A reference to the parameters of a class. */
export interface ClassParametersReference {
  readonly group: string
  readonly kind: string
  readonly name: string
  readonly namespace: string
}

/** Settings for proxies that are part of a mesh. */
export interface MeshSettings {
  /** Whether proxies of the class of the control plane are, if their parameters do not say. */
  readonly isAutomatic: boolean
  readonly namespace: string
  readonly revision: string
  readonly caAddress?: string
  readonly clusterId?: string
  readonly network?: string
}
