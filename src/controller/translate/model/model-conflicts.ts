import { defineQuery, type GraphReads, type Query } from '../../graph/query.ts'
import { knownModel, type KnownModel } from './known-model.ts'
import { modelCandidates } from './model-candidates.ts'
import { namingModels } from './model-indexes.ts'
import { rootConflicts } from './root-conflicts.ts'

/** A model that a listener or a rule refuses, because of another object. */
export interface ModelConflict {
  /** The key of the model. */
  readonly model: string
  /** The key of the section. */
  readonly section: string
  readonly message: string
}

/** Those of each model, by its key: each asks for its own. Key: that of `ModelParentVerdict.owner`. */
export const conflictsByModel: Query<ReadonlyMap<string, readonly ModelConflict[]>> = defineQuery(
  'conflictsByModel',
  (reads, owner) => Map.groupBy(reads.query(modelConflicts, owner), ({ model }) => model),
)

/**
 * At a listener or a rule, a name that clients request belongs to the namespace of the oldest model that has it:
 * otherwise a model of another namespace would get the requests that the first refuses. Models of one namespace may share
 * a name, for different callers; a virtual one shares it with none. Key: that of `ModelParentVerdict.owner`.
 */
const modelConflicts: Query<readonly ModelConflict[]> = defineQuery('modelConflicts', (reads, owner) => {
  const lost = lostListeners(reads, owner)
  const conflicts: ModelConflict[] = []
  const owners = new Map<string, { readonly key: string; readonly known: KnownModel }>()
  for (const key of reads.query(namingModels, owner)) {
    const known = reads.tryQuery(knownModel, key)
    if (!known) continue
    const sections = (reads.tryQuery(modelCandidates, key) ?? [])
      .filter((verdict) => verdict.owner === owner)
      .flatMap((verdict) => verdict.sections.map((section) => section.key))
    for (const section of new Set(sections)) {
      const precedent = lost.get(section)
      if (precedent !== undefined) {
        const message = `${precedent} precedes it: its models serve the root path of the listener`
        conflicts.push({ model: key, section, message })
        continue
      }
      if (!known.isPublic) continue
      const claim = `${section} ${known.name}`
      const first = owners.get(claim)
      if (!first) owners.set(claim, { key, known })
      else if (!canShare(first.known, known)) {
        const message = `The name ${JSON.stringify(known.name)} is that of ProxyModel ${first.key}, which precedes it`
        conflicts.push({ model: key, section, message })
      }
    }
  }
  return conflicts
})

const lostListeners = (reads: GraphReads, owner: string): ReadonlyMap<string, string> => {
  const [kind = '', ...gateway] = owner.split('/')
  if (kind !== 'Gateway') return new Map()
  const lost = reads.query(rootConflicts, gateway.join('/')).filter(({ loser }) => loser === 'models')
  return new Map(lost.map(({ listenerKey, by }) => [listenerKey, by]))
}

const canShare = (owner: KnownModel, other: KnownModel): boolean =>
  owner.namespace === other.namespace && !owner.isVirtual && !other.isVirtual
