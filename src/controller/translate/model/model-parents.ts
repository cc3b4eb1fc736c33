import { defineQuery, type GraphReads, type Query } from '../../graph/query.ts'
import { modelCandidates, type ModelParentVerdict } from './model-candidates.ts'
import { conflictsByModel } from './model-conflicts.ts'
import { namingModels } from './model-indexes.ts'

/** The parents of a model that are ours, by its key. Each parentRef has a verdict of its own. */
export const modelParents: Query<readonly ModelParentVerdict[]> = defineQuery('modelParents', (reads, key) =>
  reads.query(modelCandidates, key).map((candidate) => withoutConflicts(reads, key, candidate)),
)

const withoutConflicts = (reads: GraphReads, key: string, parent: ModelParentVerdict): ModelParentVerdict => {
  const conflicts = reads.query(conflictsByModel, parent.owner).get(key) ?? []
  const places = parent.places.filter((place) => !conflicts.some((lost) => lost.place === place.key))
  const lost = conflicts.find((conflict) => parent.places.some((place) => place.key === conflict.place))
  return places.length > 0 || !lost
    ? { ...parent, places }
    : { ...parent, places, denial: { reason: 'ModelRoutingConflict', message: lost.message } }
}

/** A model that is accepted by a listener or a rule. */
export interface ModelAttachment {
  /** The key of the place. */
  readonly place: string
  /** Whether the place has a resource itself. */
  readonly isServed: boolean
  /** The key of the model. */
  readonly model: string
}

/** The models of a Gateway's listeners, or of an HTTPRoute's rules, the oldest first. Key: that of `ModelParentVerdict.owner`. */
export const modelAttachments: Query<readonly ModelAttachment[]> = defineQuery(
  'modelAttachments',
  (reads, owner) =>
    reads.query(namingModels, owner).flatMap((model) => {
      const places = (reads.tryQuery(modelParents, model) ?? [])
        .filter((parent) => parent.owner === owner)
        .flatMap((parent) => parent.places)
      const byKey = new Map(places.map((place) => [place.key, place]))
      return [...byKey.values()].map(({ key, isServed }) => ({ place: key, isServed, model }))
    }),
)
