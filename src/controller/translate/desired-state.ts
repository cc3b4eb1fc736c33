import type { ResourceTree } from '../../config/xds/resource-tree.ts'
import type { Graph } from '../graph/graph.ts'
import { defineQuery, type Query } from '../graph/query.ts'
import type { Kind } from '../kinds/kinds.ts'
import { namespacedKey, objectKey } from '../kinds/object.ts'
import { gatewayBackendResources } from './backend/backend-resources.ts'
import { proxyBackendStatus } from './backend/proxy-backend-status.ts'
import { backendTlsPolicyStatus } from './backend-tls/backend-tls-policy-status.ts'
import type { DeploymentPlan } from './deployment/deployment-plan.ts'
import { deploymentRival } from './deployment/deployment-rival.ts'
import { deploymentName } from './deployment/names.ts'
import { gatewayRouteResources } from './gateway-route-resources.ts'
import { classUses, type ClassUse, gatewaysWithoutClass } from './gateway-class/class-use.ts'
import { gatewayClassStatus } from './gateway-class/gateway-class-status.ts'
import { gatewayStatus } from './gateway/gateway-status.ts'
import { ownGatewayKeys } from './gateway/own-gateway-keys.ts'
import { wantedKeySets, type WantedKeySet } from './jwks/key-set-sources.ts'
import { inferencePoolStatus } from './inference/pool-status.ts'
import { gatewayListenerResources } from './listener/gateway-listener-resources.ts'
import { listenerSetStatus } from './listener-set/listener-set-status.ts'
import { parentFailures, partialFailures } from './partial-failures.ts'
import { policyFailures } from './policy/policy-failures.ts'
import { gatewayModelResources } from './model/model-resources.ts'
import { proxyModelStatus } from './model/proxy-model-status.ts'
import { gatewayPolicyResources } from './policy/policy-resources.ts'
import { proxyPolicyStatus } from './policy/proxy-policy-status.ts'
import {
  grpcRouteStatus,
  httpRouteStatus,
  tcpRouteStatus,
  tlsRouteStatus,
  udpRouteStatus,
} from './route/route-status.ts'
import type { TranslationFailure } from './translation-failure.ts'

/** A status that an object of ours should have. */
export interface ObjectStatus {
  readonly kind: Kind
  readonly key: string
  /** The part that is ours. */
  readonly status: object
}

/** A Gateway of ours: what its proxies get, and what runs them. */
export interface DesiredGateway {
  readonly key: string
  /** `metadata.generation`. */
  readonly generation: number
  /**
   * What its proxies call themselves: the namespace, and the name of their service account. Undefined if that is the name
   * of another Gateway's.
   */
  readonly role: string | undefined
  readonly resources: ResourceTree
  readonly plan: DeploymentPlan | undefined
}

/** Everything that the control plane writes and sends. What did not change is the same object as before. */
export interface DesiredState {
  readonly gateways: readonly DesiredGateway[]
  readonly statuses: readonly ObjectStatus[]
  readonly failures: readonly TranslationFailure[]
  /**
   * The roles of proxies whose Gateways could not be computed and have nothing to keep, or whose class is gone: nothing
   * is known of what they should have.
   */
  readonly unknownRoles: readonly string[]
  readonly classes: readonly ClassUse[]
  /** The keys of tokens that are fetched. */
  readonly keySets: readonly WantedKeySet[]
}

/**
 * Computes what should be, from the objects of the graph. A Gateway or a status that cannot be computed keeps what
 * it had.
 *
 * @param before What should have been before the last changes.
 */
export const desiredState = (
  graph: Graph,
  deploymentPlan: Query<DeploymentPlan | undefined>,
  before?: DesiredState,
): DesiredState => {
  const failures: TranslationFailure[] = []
  let gatewaysBefore: ReadonlyMap<string, DesiredGateway> | undefined
  const unknownRoles: string[] = graph.read(gatewaysWithoutClass, '').map(roleOf)
  const gateways = graph.read(ownGatewayKeys, '').flatMap((key) => {
    try {
      const desired = desiredGateway(graph, deploymentPlan, key)
      for (const failure of graph.read(partialFailures, key)) failures.push(failure)
      return [desired]
    } catch (error) {
      failures.push({ kind: 'Gateway', key, error })
      gatewaysBefore ??= new Map(before?.gateways.map((gateway) => [gateway.key, gateway]))
      const known = gatewaysBefore.get(key)
      if (!known && graph.read(deploymentRival, key) === undefined) unknownRoles.push(roleOf(key))
      return known ? [known] : []
    }
  })
  const statuses = statusKinds.flatMap((kind) => graph.read(kindStatuses, kind))
  const failed = statusKinds.flatMap((kind) =>
    graph.read(failedStatuses, kind).map((key) => ({ kind, key, error: errorOf(graph, kind, key) })),
  )
  const kept = keptStatuses(failed, before)
  const classes = graph.read(classUses, '')
  const keySets = graph.read(wantedKeySets, '')
  return {
    gateways,
    statuses: [...statuses, ...kept],
    failures: [...failures, ...graph.read(parentFailures, ''), ...graph.read(policyFailures, ''), ...failed],
    unknownRoles,
    classes,
    keySets,
  }
}

/** What the statuses were that cannot be computed now. */
const keptStatuses = (
  failed: readonly TranslationFailure[],
  before: DesiredState | undefined,
): readonly ObjectStatus[] => {
  if (!before || failed.length === 0) return []
  const known = new Map(before.statuses.map((status) => [`${status.kind}/${status.key}`, status]))
  return failed.flatMap(({ kind, key }) => known.get(`${kind}/${key}`) ?? [])
}

const desiredGateway = (
  graph: Graph,
  deploymentPlan: Query<DeploymentPlan | undefined>,
  key: string,
): DesiredGateway => ({
  key,
  generation: graph.read(gatewayGeneration, key),
  role: graph.read(deploymentRival, key) === undefined ? roleOf(key) : undefined,
  resources: graph.read(gatewayResources, key),
  plan: graph.read(deploymentPlan, key),
})

const roleOf = (gateway: string): string => {
  const [namespace = '', name = ''] = gateway.split('/')
  return namespacedKey(namespace, deploymentName(name))
}

const errorOf = (graph: Graph, kind: StatusKind, key: string): unknown => {
  try {
    return graph.read<object | undefined>(statusQueries[kind], key)
  } catch (error) {
    return error
  }
}

const statusQueries = {
  GatewayClass: gatewayClassStatus,
  Gateway: gatewayStatus,
  ListenerSet: listenerSetStatus,
  HTTPRoute: httpRouteStatus,
  GRPCRoute: grpcRouteStatus,
  TLSRoute: tlsRouteStatus,
  TCPRoute: tcpRouteStatus,
  UDPRoute: udpRouteStatus,
  BackendTLSPolicy: backendTlsPolicyStatus,
  ProxyPolicy: proxyPolicyStatus,
  InferencePool: inferencePoolStatus,
  ProxyBackend: proxyBackendStatus,
  ProxyModel: proxyModelStatus,
} as const satisfies Partial<Record<Kind, Query<object | undefined>>>

type StatusKind = keyof typeof statusQueries

const statusKinds = Object.keys(statusQueries) as readonly StatusKind[]

/** The statuses of a kind: a change that none of them depends on, such as one of an endpoint, looks at none of them. */
const kindStatuses: Query<readonly ObjectStatus[]> = defineQuery('kindStatuses', (reads, name) => {
  const kind = name as StatusKind
  return reads.objects(kind).flatMap((object): readonly ObjectStatus[] => {
    const status = reads.tryQuery(desiredStatus, `${kind} ${objectKey(object)}`)
    return status === undefined ? [] : [status]
  })
})

/** The keys of the objects of a kind whose statuses cannot be computed. */
const failedStatuses: Query<readonly string[]> = defineQuery('failedStatuses', (reads, name) => {
  const kind = name as StatusKind
  return reads
    .objects(kind)
    .map(objectKey)
    .filter((key) => reads.hasFailed(desiredStatus, `${kind} ${key}`))
})

/** The keys of `desiredStatus`, of all objects that have one. */
export function* statusKeys(graph: Graph): Generator<string, void> {
  for (const kind of statusKinds)
    for (const object of graph.objects(kind)) yield `${kind} ${objectKey(object)}`
}

/** The values that are lists of thousands, and all that `desiredState` reads of a Gateway. */
export function* stateParts(graph: Graph): Generator<readonly [query: Query<unknown>, key: string], void> {
  for (const gateway of graph.read(ownGatewayKeys, ''))
    for (const query of [gatewayRouteResources, gatewayResources, partialFailures]) yield [query, gateway]
  for (const kind of statusKinds) for (const query of [kindStatuses, failedStatuses]) yield [query, kind]
  for (const query of [parentFailures, policyFailures, classUses, wantedKeySets]) yield [query, '']
}

/** Kept as a whole, so that comparing thousands of statuses compares references. Key: the kind and that of the object. */
export const desiredStatus: Query<ObjectStatus | undefined> = defineQuery('desiredStatus', (reads, id) => {
  const [kind = '', key = ''] = id.split(' ')
  const status = reads.query<object | undefined>(statusQueries[kind as StatusKind], key)
  return status && { kind: kind as StatusKind, key, status }
})

const gatewayGeneration: Query<number> = defineQuery(
  'gatewayGeneration',
  (reads, key) => reads.object('Gateway', key)?.metadata.generation ?? 0,
)

const gatewayResources: Query<ResourceTree> = defineQuery('gatewayResources', (reads, key) => [
  reads.query(gatewayListenerResources, key),
  reads.query(gatewayRouteResources, key),
  reads.query(gatewayBackendResources, key),
  reads.query(gatewayPolicyResources, key),
  reads.query(gatewayModelResources, key),
])
