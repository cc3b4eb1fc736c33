import { defineQuery, type GraphReads, type Query } from '../../graph/query.ts'
import { knownModel } from './known-model.ts'
import { modelCandidates, type ModelParentVerdict } from './model-candidates.ts'
import { modelConflicts } from './model-conflicts.ts'
import { namingModels } from './model-indexes.ts'

/** The parents of a model that are ours, by its key. Each parentRef has a verdict of its own. */
export const modelParents: Query<readonly ModelParentVerdict[]> = defineQuery('modelParents', (reads, key) =>
  reads.query(modelCandidates, key).map((candidate) => withoutConflicts(reads, key, candidate)),
)

const withoutConflicts = (reads: GraphReads, key: string, parent: ModelParentVerdict): ModelParentVerdict => {
  const conflicts = reads.query(modelConflicts, parent.gateway).filter(({ model }) => model === key)
  const isLost = (listenerKey: string) => conflicts.some((conflict) => conflict.listenerKey === listenerKey)
  const listeners = parent.listeners.filter((listener) => !isLost(listener.key))
  const lost = conflicts.find(({ listenerKey }) => parent.listeners.some((one) => one.key === listenerKey))
  if (listeners.length > 0 || !lost) return { ...parent, listeners }
  const name = JSON.stringify(reads.query(knownModel, key)?.name)
  return {
    ...parent,
    listeners,
    denial: {
      reason: 'ModelRoutingConflict',
      message: `The name ${name} is that of ProxyModel ${lost.by}, which precedes it`,
    },
  }
}

/** A model that is accepted by a listener. */
export interface ModelAttachment {
  readonly listenerKey: string
  /** Whether the listener has a resource. */
  readonly isServed: boolean
  /** The key of the model. */
  readonly model: string
}

/** The models that attach to the listeners of a Gateway, the oldest first. Key: that of the Gateway. */
export const modelAttachments: Query<readonly ModelAttachment[]> = defineQuery(
  'modelAttachments',
  (reads, gateway) =>
    reads.query(namingModels, gateway).flatMap((model) => {
      const listeners = (reads.tryQuery(modelParents, model) ?? [])
        .filter((parent) => parent.gateway === gateway)
        .flatMap((parent) => parent.listeners)
      const byKey = new Map(listeners.map((listener) => [listener.key, listener]))
      return [...byKey.values()].map(({ key, isServed }) => ({ listenerKey: key, isServed, model }))
    }),
)
