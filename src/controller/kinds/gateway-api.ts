/**
 * Kinds of the Gateway API v1.6 except for routes. Statuses are written, not read, and have no fields here.
 *
 * @module
 */
import type { KubernetesObject, LabelSelector } from './object.ts'

/** A reference to an object. Defaults depend on its field. */
export interface ObjectReference {
  readonly group?: string
  readonly kind?: string
  readonly name: string
  readonly namespace?: string
}

/** `gateway.networking.k8s.io/v1.GatewayClass`. */
export interface GatewayClass extends KubernetesObject {
  readonly spec: {
    readonly controllerName: string
    readonly description?: string
    readonly parametersRef?: Required<Pick<ObjectReference, 'group' | 'kind' | 'name'>> & {
      readonly namespace?: string
    }
  }
}

/** `gateway.networking.k8s.io/v1.Gateway`. */
export interface Gateway extends KubernetesObject {
  readonly spec: {
    readonly gatewayClassName: string
    readonly listeners?: readonly GatewayListener[]
    readonly addresses?: readonly { readonly type?: string; readonly value?: string }[]
    readonly infrastructure?: {
      readonly labels?: Readonly<Record<string, string>>
      readonly annotations?: Readonly<Record<string, string>>
      readonly parametersRef?: Required<Pick<ObjectReference, 'group' | 'kind' | 'name'>>
    }
    readonly allowedListeners?: { readonly namespaces?: NamespaceSelection }
    readonly tls?: {
      readonly backend?: { readonly clientCertificateRef?: ObjectReference }
      readonly frontend?: {
        readonly default: FrontendTlsConfig
        readonly perPort?: readonly { readonly port: number; readonly tls: FrontendTlsConfig }[]
      }
    }
    readonly defaultScope?: string
  }
}

/** Validation of client certificates. */
export interface FrontendTlsConfig {
  readonly validation?: {
    readonly caCertificateRefs: readonly ObjectReference[]
    readonly mode?: 'AllowValidOnly' | 'AllowInsecureFallback'
  }
}

/** Namespaces by rule. */
export interface NamespaceSelection {
  readonly from?: 'All' | 'Selector' | 'Same' | 'None'
  readonly selector?: LabelSelector
}

/** A listener of a Gateway or an entry of a ListenerSet, whose port may be absent. */
export interface GatewayListener {
  readonly name: string
  readonly hostname?: string
  readonly port?: number
  readonly protocol: string
  readonly tls?: {
    readonly mode?: 'Terminate' | 'Passthrough'
    readonly certificateRefs?: readonly ObjectReference[]
    readonly options?: Readonly<Record<string, string>>
  }
  readonly allowedRoutes?: {
    readonly namespaces?: NamespaceSelection
    readonly kinds?: readonly { readonly group?: string; readonly kind: string }[]
  }
}

/** `gateway.networking.k8s.io/v1.ListenerSet`. */
export interface ListenerSet extends KubernetesObject {
  readonly spec: { readonly parentRef: ObjectReference; readonly listeners: readonly GatewayListener[] }
}

/** `gateway.networking.k8s.io/v1beta1.ReferenceGrant`. */
export interface ReferenceGrant extends KubernetesObject {
  /** Absent in objects that an older definition let in. */
  readonly spec?: {
    readonly from: readonly { readonly group: string; readonly kind: string; readonly namespace: string }[]
    readonly to: readonly { readonly group: string; readonly kind: string; readonly name?: string }[]
  }
}

/** `gateway.networking.k8s.io/v1.BackendTLSPolicy`. */
export interface BackendTLSPolicy extends KubernetesObject {
  readonly spec: {
    readonly targetRefs: readonly {
      readonly group: string
      readonly kind: string
      readonly name: string
      readonly sectionName?: string
    }[]
    readonly validation: {
      readonly caCertificateRefs?: readonly Required<Pick<ObjectReference, 'group' | 'kind' | 'name'>>[]
      readonly wellKnownCACertificates?: string
      readonly hostname: string
      readonly subjectAltNames?: readonly {
        readonly type: string
        readonly hostname?: string
        readonly uri?: string
      }[]
    }
    readonly options?: Readonly<Record<string, string>>
  }
}
