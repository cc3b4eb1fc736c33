import type * as File from '../../../config/schema/file-types.gen.ts'
import { defineQuery, type GraphReads, type Query } from '../../graph/query.ts'
import { isRequestRouteKind } from '../route/route-id.ts'
import type { ReferenceProblem, RuleContext } from '../rule/rule-context.ts'
import { serviceResourceKey } from '../service/service-names.ts'
import {
  type BackendObjectReference,
  isProxyBackend,
  proxyBackendProblem,
  serviceProblem,
} from './reference-problem.ts'
import { translatedBackend } from './translated-backend.ts'

/** What a reference leads to, as files name it. */
export type BackendOfRule = { readonly service: File.ServiceReference } | { readonly backend: string }

/**
 * What a reference of a rule leads to. If it leads nowhere, the reason is recorded. Permission comes before existence:
 * without a grant, the status must not reveal what is in another namespace.
 */
export const backendReference = (
  reference: BackendObjectReference,
  context: RuleContext,
): BackendOfRule | undefined => {
  const { reads, services, backends, referenceProblems } = context
  const namespace = reference.namespace ?? context.namespace
  const destination = { key: `${namespace}/${reference.name}`, namespace }
  const { key } = destination
  const needsGrant = reads.settings.backendGrants !== 'none'
  const origin = needsGrant
    ? { group: 'gateway.networking.k8s.io', kind: context.kind, namespace: context.namespace }
    : undefined
  // Connections have no use for most kinds of ProxyBackends.
  const isBackend = isProxyBackend(reference) && isRequestRouteKind(context.kind)
  const problem = isBackend
    ? (proxyBackendProblem(reads, reference, origin, destination) ?? unusableBackend(reads, key))
    : serviceProblem(reads, reference, origin, destination, context.kind === 'UDPRoute' ? 'UDP' : 'TCP')
  if (problem) {
    referenceProblems.push(problem)
    return undefined
  }
  if (isBackend) {
    backends.add(key)
    return { backend: key }
  }
  services.add(key)
  return { service: { name: serviceResourceKey(key, reads.settings), port: reference.port ?? 0 } }
}

const unusableBackend = (reads: GraphReads, key: string): ReferenceProblem | undefined =>
  reads.query(isUsableBackend, key)
    ? undefined
    : { reason: 'UnsupportedValue', message: `ProxyBackend ${key} cannot be translated` }

/** Kept apart, so that a change of a backend does not convert again the routes that refer to it. */
const isUsableBackend: Query<boolean> = defineQuery(
  'isUsableBackend',
  (reads, key) => reads.tryQuery(translatedBackend, key)?.resource !== undefined,
)
