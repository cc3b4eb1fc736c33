/**
 * Objects as the check reads them: specifications as far as they are references, and statuses. Kinds and versions may be
 * newer than this program, so that every field may be absent.
 *
 * @module
 */

/** A condition of a status. */
export interface ReadCondition {
  readonly type: string
  readonly status: string
  readonly reason: string
  readonly message: string
  readonly observedGeneration?: number
}

/** A reference to an object. Defaults depend on its field. */
export interface Reference {
  readonly group?: string
  readonly kind?: string
  readonly namespace?: string
  readonly name: string
  readonly sectionName?: string
  readonly port?: number
}

/** Conditions for a parent of a route or an ancestor of a policy. */
export interface ReferenceStatus {
  readonly parentRef?: Reference
  readonly ancestorRef?: Reference
  readonly controllerName?: string
  readonly conditions?: readonly ReadCondition[]
}

/** A listener of a Gateway, or an entry of a ListenerSet. */
export interface ListenerSpec {
  readonly name: string
  readonly tls?: { readonly mode?: string; readonly certificateRefs?: readonly Reference[] }
}

/** Certificate authorities of clients. */
interface FrontendTls {
  readonly validation?: { readonly caCertificateRefs?: readonly Reference[] }
}

/** An object of any kind that is checked. */
export interface ClusterObject {
  readonly metadata: {
    readonly name: string
    readonly namespace?: string
    readonly generation?: number
    readonly deletionTimestamp?: string
  }
  readonly spec?: {
    readonly controllerName?: string
    readonly gatewayClassName?: string
    readonly listeners?: readonly ListenerSpec[]
    readonly tls?: {
      readonly backend?: { readonly clientCertificateRef?: Reference }
      readonly frontend?: {
        readonly default?: FrontendTls
        readonly perPort?: readonly { readonly tls?: FrontendTls }[]
      }
    }
    readonly parentRef?: Reference
    readonly parentRefs?: readonly Reference[]
    readonly targetRefs?: readonly Reference[]
    readonly validation?: { readonly caCertificateRefs?: readonly Reference[] }
  }
  readonly status?: {
    readonly conditions?: readonly ReadCondition[]
    readonly listeners?: readonly {
      readonly name: string
      readonly conditions?: readonly ReadCondition[]
    }[]
    readonly parents?: readonly ReferenceStatus[]
    readonly ancestors?: readonly ReferenceStatus[]
  }
}

/** `namespace/name`. */
export const clusterKey = ({ metadata: { namespace = '', name } }: ClusterObject): string =>
  `${namespace}/${name}`
