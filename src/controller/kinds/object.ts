/** Metadata of a Kubernetes object, as far as the control plane reads it. */
export interface ObjectMeta {
  readonly name: string
  /** Absent for cluster-scoped objects. */
  readonly namespace?: string
  readonly uid?: string
  readonly resourceVersion?: string
  readonly generation?: number
  /** RFC 3339. */
  readonly creationTimestamp?: string
  readonly deletionTimestamp?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
  readonly ownerReferences?: readonly OwnerReference[]
  readonly finalizers?: readonly string[]
  /** Of kinds whose status one controller writes: the field managers that have applied parts of it. */
  readonly statusManagers?: readonly string[]
}

/** A reference to an owner of an object. */
export interface OwnerReference {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  readonly uid: string
  readonly controller?: boolean
  readonly blockOwnerDeletion?: boolean
}

/** Any Kubernetes object. */
export interface KubernetesObject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: ObjectMeta
}

/** `meta/v1.Condition`. */
export interface Condition {
  readonly type: string
  readonly status: 'True' | 'False' | 'Unknown'
  readonly reason: string
  readonly message: string
  readonly observedGeneration?: number
  readonly lastTransitionTime?: string
}

/** A selector of labels. Absent parts select everything. */
export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>
  readonly matchExpressions?: readonly {
    readonly key: string
    readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist'
    readonly values?: readonly string[]
  }[]
}

/** A time as objects have it: RFC 3339, in whole seconds. */
export const kubernetesTime = (date: Date): string => date.toISOString().replace(/\.\d+Z$/, 'Z')

/** The label of everything that is deployed for a Gateway, pods among them: the name of its objects. */
export const GATEWAY_NAME_LABEL = 'gateway.networking.k8s.io/gateway-name'

/** The key of an object within its kind: `namespace/name`, or `name` in the cluster scope. */
export const objectKey = ({ metadata: { namespace, name } }: KubernetesObject): string =>
  namespacedKey(namespace, name)

/** The key of an object by its names. */
export const namespacedKey = (namespace: string | undefined, name: string): string =>
  namespace === undefined ? name : `${namespace}/${name}`
