import type * as File from '../../../config/schema/file-types.gen.ts'
import { defineQuery, type GraphReads, type Query } from '../../graph/query.ts'
import type { PolicyTargetKind } from '../../kinds/custom-resources.ts'
import { backendSections } from '../backend/backend-sections.ts'
import { gatewaysOfRoute } from '../delegation/route-gateways.ts'
import { ownGateway } from '../gateway/own-gateway.ts'
import { poolNames } from '../inference/pool-names.ts'
import { listenerSetParent } from '../listener-set/attached-listener-sets.ts'
import { listenersOf } from '../listener-set/listeners-of-set.ts'
import { gatewayListeners } from '../listener/gateway-listeners.ts'
import { routeId } from '../route/route-id.ts'
import { knownService } from '../service/known-service.ts'
import { serviceNames } from '../service/service-names.ts'
import { gatewaysReaching } from './gateway-reach.ts'

/** What each kind of target means. `key` is that of the target, `namespace/name`. */
export interface TargetKind {
  readonly exists: (reads: GraphReads, key: string) => boolean
  /** Why the part of the target that is named does not exist. */
  readonly partProblem: (reads: GraphReads, key: string, part: PolicyTargetKind) => string | undefined
  /** The keys of the Gateways whose proxies get the policy. */
  readonly gateways: (reads: GraphReads, key: string) => readonly string[]
  readonly target: (reads: GraphReads, key: string, part: PolicyTargetKind) => File.PolicyTarget
  /** What proxies call the parts that a section stands for; its name stands for one without it. */
  readonly parts?: (reads: GraphReads, key: string, sectionName: string) => readonly string[]
}

const sectionNotFound = (kind: string, key: string, { sectionName = '' }: PolicyTargetKind): string =>
  `sectionName "${sectionName}" not found in ${kind} ${key}`

const named = (key: string) => {
  const [namespace = '', name = ''] = key.split('/')
  return { namespace, name }
}

const gateway: TargetKind = {
  exists: (reads, key) => reads.object('Gateway', key) !== undefined,
  partProblem: (reads, key, part) => {
    if (!ownGateway(reads, key)) return undefined
    if (part.port !== undefined && !reads.query(listenerPorts, key).has(part.port))
      return `port ${part.port} not found in Gateway ${key}`
    return part.sectionName === undefined ||
      listenersOf(reads, key).some(({ name }) => name === part.sectionName)
      ? undefined
      : sectionNotFound('Gateway', key, part)
  },
  gateways: (reads, key) => (ownGateway(reads, key) ? [key] : []),
  target: (_, key, { sectionName, port }) => ({
    gateway: {
      gatewayName: named(key).name,
      gatewayNamespace: named(key).namespace,
      ...(sectionName === undefined ? {} : { listenerName: sectionName }),
      ...(port === undefined ? {} : { port }),
    },
  }),
}

/** The ports of a Gateway: each of many policies may ask for one. Key: that of the Gateway. */
const listenerPorts: Query<ReadonlySet<number>> = defineQuery(
  'listenerPorts',
  (reads, key) => new Set(reads.query(gatewayListeners, key).map(({ port }) => port)),
)

const listenerSet: TargetKind = {
  exists: (reads, key) => reads.object('ListenerSet', key) !== undefined,
  partProblem: (reads, key, part) => {
    const listeners = reads.object('ListenerSet', key)?.spec.listeners ?? []
    return part.sectionName === undefined || listeners.some(({ name }) => name === part.sectionName)
      ? undefined
      : sectionNotFound('ListenerSet', key, part)
  },
  gateways: (reads, key) => {
    const set = reads.object('ListenerSet', key)
    const parent = set && listenerSetParent(set)
    const isAllowed =
      parent !== undefined && listenersOf(reads, parent, key).some(({ isAccepted }) => isAccepted)
    return isAllowed ? [parent] : []
  },
  target: (_, key, { sectionName }) => ({
    listenerSet: { ...named(key), ...(sectionName === undefined ? {} : { listenerName: sectionName }) },
  }),
}

const route = (kind: 'HTTPRoute' | 'GRPCRoute'): TargetKind => ({
  exists: (reads, key) => reads.object(kind, key) !== undefined,
  partProblem: (reads, key, part) => {
    const rules: readonly { readonly name?: string }[] = reads.object(kind, key)?.spec.rules ?? []
    return part.sectionName === undefined || rules.some(({ name }) => name === part.sectionName)
      ? undefined
      : sectionNotFound(kind, key, part)
  },
  gateways: (reads, key) => reads.query(gatewaysOfRoute, routeId(kind, key)),
  target: (_, key, { sectionName }) => ({
    route: { ...named(key), kind, ...(sectionName === undefined ? {} : { ruleName: sectionName }) },
  }),
})

const service: TargetKind = {
  exists: (reads, key) => reads.query(knownService, key) !== undefined,
  partProblem: (reads, key, part) => {
    return part.sectionName === undefined || reads.query(knownService, key)?.ports.has(part.sectionName)
      ? undefined
      : sectionNotFound('Service', key, part)
  },
  gateways: (reads, key) => reads.query(gatewaysReaching, `Service/${key}`),
  target: (reads, key, { sectionName }) => {
    const { namespace, hostname } = serviceNames(key, reads.settings)
    return {
      backend: {
        service: { namespace, hostname, ...(sectionName === undefined ? {} : { port: Number(sectionName) }) },
      },
    }
  },
}

const proxyBackend: TargetKind = {
  exists: (reads, key) => reads.object('ProxyBackend', key) !== undefined,
  partProblem: (reads, key, part) =>
    part.sectionName === undefined || Object.hasOwn(reads.query(backendSections, key), part.sectionName)
      ? undefined
      : sectionNotFound('ProxyBackend', key, part),
  gateways: (reads, key) => reads.query(gatewaysReaching, `ProxyBackend/${key}`),
  target: (_, key, { sectionName }) => ({
    backend: { backend: { name: key, ...(sectionName === undefined ? {} : { section: sectionName }) } },
  }),
  parts: (reads, key, sectionName) => reads.query(backendSections, key)[sectionName] ?? [],
}

/** Policies apply to the endpoints of the pool, and not to its picker. It has no parts. */
const inferencePool: TargetKind = {
  exists: (reads, key) => reads.object('InferencePool', key) !== undefined,
  partProblem: (_, key, part) =>
    part.sectionName === undefined ? undefined : sectionNotFound('InferencePool', key, part),
  gateways: (reads, key) => reads.query(gatewaysReaching, `InferencePool/${key}`),
  target: (reads, key) => {
    const { namespace, hostname } = poolNames(key, reads.settings)
    return { backend: { service: { namespace, hostname } } }
  },
}

/** The kinds that a ProxyPolicy may be attached to. Others, whose objects are not watched, are not found. */
export const targetKinds: Readonly<Partial<Record<string, TargetKind>>> = {
  Gateway: gateway,
  ListenerSet: listenerSet,
  HTTPRoute: route('HTTPRoute'),
  GRPCRoute: route('GRPCRoute'),
  Service: service,
  ProxyBackend: proxyBackend,
  InferencePool: inferencePool,
}
