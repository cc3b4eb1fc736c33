import type { AllowedNamespaces } from '../namespaces/allowed-namespaces.ts'
import type { StatusCondition } from '../status/status-condition.ts'

/** A kind of route. */
export interface RouteKind {
  readonly group: string
  readonly kind: string
}

/** A listener of a Gateway or an entry of a ListenerSet, evaluated. */
export interface GatewayListenerState {
  /** The key of its resource: `<namespace>/<gateway>/<name>`, or `<namespace>/<gateway>/<namespace>/<set>/<name>`. */
  readonly key: string
  /** The key of the Gateway. */
  readonly gateway: string
  /** The key of the ListenerSet that it comes from. */
  readonly listenerSet: string | undefined
  readonly name: string
  readonly port: number
  readonly protocol: string
  /** Absent: all host names. */
  readonly hostname: string | undefined
  /** Its port has no socket and is reachable from the gateway itself only. */
  readonly isInternal: boolean
  /** Empty if routes cannot attach. */
  readonly supportedKinds: readonly RouteKind[]
  readonly allowedNamespaces: AllowedNamespaces
  readonly isAccepted: boolean
  readonly isProgrammed: boolean
  /** It has lost against a listener of higher precedence, and gets no traffic. */
  readonly isConflicted: boolean
  /** `valid` and `invalid` terminate TLS; the latter refuses every handshake. */
  readonly tls: 'none' | 'passthrough' | 'valid' | 'invalid'
  /** What the evaluation has thrown. */
  readonly failure?: unknown
  /** Sorted by type. */
  readonly conditions: readonly StatusCondition[]
}
