import { defineIndex } from '../../graph/object-index.ts'
import { defineQuery, type GraphReads, type Query } from '../../graph/query.ts'
import { objectKey } from '../../kinds/object.ts'
import { attempt } from '../attempt.ts'
import { gatewayListeners } from '../listener/gateway-listeners.ts'
import { parentValue } from '../route/route-indexes.ts'
import { knownModel } from './known-model.ts'

/** The keys of the models that name a parent, the oldest first. Key: that of `ModelParentVerdict.owner`. */
export const namingModels: Query<readonly string[]> = defineQuery('namingModels', (reads, owner) => {
  const parents = [owner, ...listenerSetsOf(reads, owner)]
  const keys = parents.flatMap((parent) => reads.indexed(modelsByParent, parent).map(objectKey))
  const ageOf = (key: string) => `${reads.tryQuery(knownModel, key)?.createdAt ?? ''} ${key}`
  return [...new Set(keys)]
    .map((key) => [ageOf(key), key] as const)
    .sort(byAge)
    .map(([, key]) => key)
})

const listenerSetsOf = (reads: GraphReads, owner: string): readonly string[] => {
  if (!owner.startsWith(GATEWAY)) return []
  const listeners = reads.query(gatewayListeners, owner.slice(GATEWAY.length))
  const sets = new Set(listeners.map(({ listenerSet }) => listenerSet))
  return [...sets].flatMap((set) => (set === undefined ? [] : [`ListenerSet/${set}`]))
}

const GATEWAY = 'Gateway/'

const byAge = ([a]: readonly [string, string], [b]: readonly [string, string]): number => (a < b ? -1 : 1)

/** A reference of no usable shape is left out: models of others are in the same index. */
const modelsByParent = defineIndex('ProxyModel', 'parent', ({ metadata, spec }) =>
  (spec.parentRefs ?? []).flatMap(
    (reference) => attempt(() => [parentValue(reference, metadata.namespace)]).value ?? [],
  ),
)
