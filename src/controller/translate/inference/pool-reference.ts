import type * as File from '../../../config/schema/file-types.gen.ts'
import type { BackendObjectReference } from '../backend/reference-problem.ts'
import type { GraphReads } from '../../graph/query.ts'
import { isReferenceGranted } from '../grants/reference-grants.ts'
import type { ReferenceProblem, RuleContext } from '../rule/rule-context.ts'
import { knownPool } from './known-pool.ts'
import { poolLimit } from './pool-limit.ts'
import { poolResourceKey } from './pool-names.ts'

const GROUP = 'inference.networking.k8s.io'

/** Whether a reference is to an InferencePool, and pools are supported. */
export const isPoolReference = ({ group, kind }: BackendObjectReference, reads: GraphReads): boolean =>
  group === GROUP &&
  kind === 'InferencePool' &&
  (reads.settings.features ?? []).includes('inferenceExtension')

/** The service that an InferencePool becomes, at its first port: that of a reference does not count. */
export const poolService = (
  key: string,
  reads: GraphReads,
): { readonly service: File.ServiceReference } | ReferenceProblem => {
  if (reads.hasFailed(knownPool, key))
    return { reason: 'UnsupportedValue', message: `InferencePool ${key} cannot be translated` }
  const pool = reads.query(knownPool, key)
  const tooMany = pool && reads.query(poolLimit, key)
  if (tooMany !== undefined) return { reason: 'UnsupportedValue', message: tooMany }
  return pool
    ? { service: { name: poolResourceKey(key, reads.settings), port: pool.ports[0] } }
    : { reason: 'BackendNotFound', message: `InferencePool ${key} was not found` }
}

/** What a reference of a rule to an InferencePool leads to. If it leads nowhere, the reason is recorded. */
export const poolReference = (
  { namespace: named, name }: BackendObjectReference,
  context: RuleContext,
): File.ServiceReference | undefined => {
  const { reads, pools, referenceProblems } = context
  const namespace = named ?? context.namespace
  const key = `${namespace}/${name}`
  const origin = { group: 'gateway.networking.k8s.io', kind: context.kind, namespace: context.namespace }
  const isGranted =
    reads.settings.backendGrants === 'none' ||
    isReferenceGranted(reads, origin, { group: GROUP, kind: 'InferencePool', namespace, name })
  const found = isGranted ? poolService(key, reads) : notGranted(key)
  if ('reason' in found) {
    referenceProblems.push(found)
    return undefined
  }
  pools.add(key)
  return found.service
}

const notGranted = (key: string): ReferenceProblem => ({
  reason: 'RefNotPermitted',
  message: `No ReferenceGrant allows the reference to InferencePool ${key}`,
})
