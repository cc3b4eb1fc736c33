import { defineQuery, type GraphReads, type Query } from '../../graph/query.ts'
import type { ParentReference } from '../../kinds/http-route.ts'
import { attempt } from '../attempt.ts'
import { isServedListener } from '../listener/gateway-listener-resources.ts'
import { listenerSetParent } from '../listener-set/attached-listener-sets.ts'
import { listenersOf } from '../listener-set/listeners-of-set.ts'
import type { GatewayListenerState } from '../listener/listener-state.ts'
import { isNamespaceAllowed } from '../namespaces/allowed-namespaces.ts'
import { ownGateway } from '../gateway/own-gateway.ts'
import { matchingHostnames } from './matching-hostnames.ts'
import { parseRouteId, routeObject, type RouteObject, type RouteObjectKind } from './route-id.ts'
import { parentValue } from './route-indexes.ts'

/** What became of one parentRef of a route. */
export interface RouteParentVerdict {
  /** Position among the parentRefs. */
  readonly index: number
  /** The key of the Gateway. */
  readonly gateway: string
  /** The listeners that accept the route. */
  readonly listeners: readonly AcceptingListener[]
  /** Present if no listener accepts it. */
  readonly denial: RouteDenial | undefined
}

/** A listener that accepts a route. */
export interface AcceptingListener {
  readonly key: string
  /** The host names of the route that the listener serves; an empty one if the route has none. */
  readonly hostnames: readonly string[]
  /** Whether the listener has a resource, which can contain the route. */
  readonly isServed: boolean
}

/** Why no listener accepts a route. */
export interface RouteDenial {
  readonly reason:
    | 'NoMatchingParent'
    | 'NotAllowedByListeners'
    | 'NoMatchingListenerHostname'
    | 'HostnameConflict'
    | 'TooManyRules'
  readonly message: string
}

/**
 * The parents of a route that are ours, by the id of the route, and the listeners that would accept it if there were no
 * other routes.
 */
export const routeCandidates: Query<readonly RouteParentVerdict[]> = defineQuery(
  'routeCandidates',
  (reads, id) =>
    reads
      .query(parentRefVerdicts, id)
      .flatMap((outcome) => ('value' in outcome ? (outcome.value ?? []) : [])),
)

/** Why parentRefs of a route have no verdict, by the id of the route. */
export const routeParentFailures: Query<readonly unknown[]> = defineQuery(
  'routeParentFailures',
  (reads, id) =>
    reads.query(parentRefVerdicts, id).flatMap((outcome) => ('failure' in outcome ? [outcome.failure] : [])),
)

const parentRefVerdicts: Query<readonly ReturnType<typeof attempt<RouteParentVerdict | undefined>>[]> =
  defineQuery('parentRefVerdicts', (reads, id) => {
    const route = routeObject(reads, id)
    const { kind } = parseRouteId(id)
    return (route?.spec.parentRefs ?? []).map((reference, index) =>
      attempt(() => {
        const gateway = route && gatewayOf(reads, reference, route.metadata.namespace)
        return gateway === undefined || !route
          ? undefined
          : candidate(reads, kind, route, reference, index, gateway)
      }),
    )
  })

/** The key of the Gateway that a parentRef leads to, if that is ours. */
export const gatewayOf = (
  reads: GraphReads,
  reference: ParentReference,
  routeNamespace: string | undefined,
): string | undefined => {
  const [kind, ...key] = parentValue(reference, routeNamespace).split('/')
  if (kind === 'Gateway') return own(reads, key.join('/'))
  if (kind !== 'ListenerSet') return undefined
  const set = reads.object('ListenerSet', key.join('/'))
  const parent = set && listenerSetParent(set)
  return parent === undefined ? undefined : own(reads, parent)
}

const own = (reads: GraphReads, key: string): string | undefined => (ownGateway(reads, key) ? key : undefined)

/** What the listeners of a Gateway make of a parentRef of a route, or of another object that attaches to listeners. */
export const candidate = (
  reads: GraphReads,
  kind: RouteObjectKind | 'ProxyModel',
  {
    metadata,
    spec,
  }: Pick<RouteObject, 'metadata'> & { readonly spec: { readonly hostnames?: readonly string[] } },
  reference: ParentReference,
  index: number,
  gateway: string,
): RouteParentVerdict => {
  const namespace = metadata.namespace ?? ''
  const value = parentValue(reference, namespace)
  const set = value.startsWith('ListenerSet/') ? value.slice('ListenerSet/'.length) : undefined
  const denied = (reason: RouteDenial['reason'], message: string): RouteParentVerdict => ({
    index,
    gateway,
    listeners: [],
    denial: { reason, message },
  })

  const named = listenersOf(reads, gateway, set).filter((listener) => isNamed(listener, reference))
  if (named.length === 0) return denied('NoMatchingParent', missingListener(reference))
  const allowing = named.filter(
    (listener) =>
      !listener.isConflicted &&
      listener.supportedKinds.some((one) => one.kind === kind) &&
      isNamespaceAllowed(reads, listener.allowedNamespaces, namespace),
  )
  if (allowing.length === 0) return denied('NotAllowedByListeners', notAllowed(named, kind, namespace))
  const listeners = allowing.flatMap((listener) => {
    const hostnames = matchingHostnames(listener.hostname, spec.hostnames)
    return hostnames.length > 0
      ? [{ key: listener.key, hostnames, isServed: isServedListener(listener) }]
      : []
  })
  if (listeners.length === 0)
    return denied('NoMatchingListenerHostname', 'No host name of the route matches a listener')
  return { index, gateway, listeners, denial: undefined }
}

const isNamed = (listener: GatewayListenerState, { sectionName, port }: ParentReference): boolean =>
  (sectionName === undefined || sectionName === '' || listener.name === sectionName) &&
  (port === undefined || listener.port === port)

const missingListener = ({ sectionName, port }: ParentReference): string => {
  if (sectionName === undefined && port === undefined) return 'The parent has no listeners'
  const name = sectionName === undefined ? '' : ` with name "${sectionName}"`
  return `The parent has no listener${name}${port === undefined ? '' : ` on port ${port}`}`
}

const notAllowed = (named: readonly GatewayListenerState[], kind: string, namespace: string): string => {
  if (named.every(({ isConflicted }) => isConflicted)) return 'The listener is in conflict with another one'
  return named.some(({ supportedKinds }) => supportedKinds.some((one) => one.kind === kind))
    ? `No listener allows routes of namespace ${namespace}`
    : `No listener allows routes of kind ${kind}`
}
