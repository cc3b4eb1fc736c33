import { defineQuery, type GraphReads, type Query } from '../../graph/query.ts'
import { modelCandidates, type ModelParentVerdict } from './model-candidates.ts'
import { conflictsByModel } from './model-conflicts.ts'
import { namingModels } from './model-indexes.ts'
import { modelLimit } from './model-limit.ts'

/** The parents of a model that are ours, by its key. Each parentRef has a verdict of its own. */
export const modelParents: Query<readonly ModelParentVerdict[]> = defineQuery('modelParents', (reads, key) =>
  reads
    .query(modelCandidates, key)
    .map((candidate) => withinLimit(reads, key, withoutConflicts(reads, key, candidate))),
)

/** A model beyond the limit is at none of the listeners of a Gateway. Its name stays that of its namespace. */
const withinLimit = (reads: GraphReads, key: string, parent: ModelParentVerdict): ModelParentVerdict => {
  if (parent.sections.length === 0 || !parent.owner.startsWith(GATEWAY)) return parent
  const message = reads.query(modelLimit, parent.owner.slice(GATEWAY.length)).get(key)
  return message === undefined
    ? parent
    : { ...parent, sections: [], denial: { reason: 'TooManyModels', message } }
}

const GATEWAY = 'Gateway/'

const withoutConflicts = (reads: GraphReads, key: string, parent: ModelParentVerdict): ModelParentVerdict => {
  const conflicts = reads.query(conflictsByModel, parent.owner).get(key) ?? []
  const sections = parent.sections.filter(
    (section) => !conflicts.some((lost) => lost.section === section.key),
  )
  const lost = conflicts.find((conflict) =>
    parent.sections.some((section) => section.key === conflict.section),
  )
  return sections.length > 0 || !lost
    ? { ...parent, sections }
    : { ...parent, sections, denial: { reason: 'ModelRoutingConflict', message: lost.message } }
}

/** A model that is accepted by a listener or a rule. */
export interface ModelAttachment {
  /** The key of the section. */
  readonly section: string
  /** Whether the section has a resource itself. */
  readonly isServed: boolean
  /** The key of the model. */
  readonly model: string
}

/** The models of a Gateway's listeners, or of an HTTPRoute's rules, the oldest first. Key: that of `ModelParentVerdict.owner`. */
export const modelAttachments: Query<readonly ModelAttachment[]> = defineQuery(
  'modelAttachments',
  (reads, owner) =>
    reads.query(namingModels, owner).flatMap((model) => {
      const sections = (reads.tryQuery(modelParents, model) ?? [])
        .filter((parent) => parent.owner === owner)
        .flatMap((parent) => parent.sections)
      const byKey = new Map(sections.map((section) => [section.key, section]))
      return [...byKey.values()].map(({ key, isServed }) => ({ section: key, isServed, model }))
    }),
)
