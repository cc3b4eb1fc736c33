/** One thing that is wrong in a cluster, or will be soon. */
export interface ClusterFinding {
  readonly severity: 'error' | 'warning'
  readonly kind: string
  /** Absent for objects of the cluster. */
  readonly namespace?: string
  readonly name: string
  /** What of the object: a listener, the parent of a route. */
  readonly part?: string
  /** A word for programs, such as the reason of a condition. */
  readonly reason: string
  readonly message: string
  /** It may be gone in a moment, because the controller or a proxy is still at it. */
  readonly isTransient?: boolean
}

/** What could not be looked at. */
export interface Unchecked {
  readonly subject: string
  readonly reason: string
}

/** What a check has found. */
export interface ClusterReport {
  /** Errors first, and by object. */
  readonly findings: readonly ClusterFinding[]
  readonly unchecked: readonly Unchecked[]
  /** Numbers of objects that were looked at, by kind. */
  readonly checked: Readonly<Record<string, number>>
}

/** What an object is called in messages: `HTTPRoute shop/cart`. */
export const objectText = ({
  kind,
  namespace,
  name,
}: Pick<ClusterFinding, 'kind' | 'namespace' | 'name'>): string =>
  `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`
