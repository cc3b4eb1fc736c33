import { defineIndex } from '../../graph/object-index.ts'
import { defineQuery, type Query } from '../../graph/query.ts'
import type { InferencePool } from '../../kinds/inference-pool.ts'
import { objectKey } from '../../kinds/object.ts'
import { readyPods } from './ready-pods.ts'

/**
 * Pods of the InferencePools of a namespace, each counted for each pool that selects it and each target port. Without a
 * limit, pools of a few hundred bytes that all select the same pods would fill the memory of the control plane and of every
 * proxy. Counted by namespace, no tenant can use up what another one has.
 */
const MAX_POOL_PODS = 100_000
/** So many pools of a namespace, with so many ports, may have any number of pods: then routes do not depend on their pods. */
const FEW_POOLS = 32
const FEW_PORTS = 16

/** Why proxies get no pods of an InferencePool, because there are too many; undefined if there are not. Key: that of the pool. */
export const poolLimit: Query<string | undefined> = defineQuery('poolLimit', (reads, key) => {
  const [namespace = ''] = key.split('/')
  const pools = reads.indexed(poolsByNamespace, namespace)
  if (pools.length <= FEW_POOLS && pools.every((pool) => portCount(pool) <= FEW_PORTS)) return undefined
  return reads.query(poolsBeyondLimit, namespace).has(key)
    ? `InferencePool ${key} has no endpoints, since the pools of its namespace have more than ${MAX_POOL_PODS}, each counted for each pool and target port; older pools come first`
    : undefined
})

/** The keys of the pools that no budget is left for. The oldest come first, so that nobody can take it from them. */
const poolsBeyondLimit: Query<ReadonlySet<string>> = defineQuery('poolsBeyondLimit', (reads, namespace) => {
  const beyond = new Set<string>()
  let left = MAX_POOL_PODS
  const byAge = reads
    .indexed(poolsByNamespace, namespace)
    .map((pool) => ({ pool, age: `${pool.metadata.creationTimestamp ?? ''} ${pool.metadata.name}` }))
    .sort((a, b) => (a.age < b.age ? -1 : 1))
  for (const { pool } of byAge) {
    // What comes after the limit costs nothing more.
    const before = left
    const count = before > 0 ? reads.query(readyPodCount, objectKey(pool)) * portCount(pool) : 0
    left = Math.max(before - count, 0)
    if (before === 0 || count > before) beyond.add(objectKey(pool))
  }
  return beyond
})

/** Kept apart: most changes of pods leave their number. */
const readyPodCount: Query<number> = defineQuery(
  'readyPodCount',
  (reads, key) => readyPods(reads, key).length,
)

const portCount = ({ spec }: InferencePool): number => spec.targetPorts.length

const poolsByNamespace = defineIndex('InferencePool', 'namespace', ({ metadata }) => [
  metadata.namespace ?? '',
])
