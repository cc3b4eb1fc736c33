import { defineQuery, type Query } from '../../graph/query.ts'
import { knownModel, type KnownModel } from './known-model.ts'
import { modelCandidates } from './model-candidates.ts'
import { namingModels } from './model-indexes.ts'

/** A model that a listener refuses, because another one has its name. */
export interface ModelConflict {
  /** The key of the model. */
  readonly model: string
  readonly listenerKey: string
  /** The key of that model, which is older. */
  readonly by: string
}

/**
 * At a listener, a name that clients request belongs to the namespace of the oldest model that has it: otherwise a model
 * of another namespace would get the requests that the first refuses. Models of one namespace may share a name, for
 * different callers; a virtual one shares it with none. Key: that of the Gateway.
 */
export const modelConflicts: Query<readonly ModelConflict[]> = defineQuery(
  'modelConflicts',
  (reads, gateway) => {
    const conflicts: ModelConflict[] = []
    const owners = new Map<string, { readonly key: string; readonly known: KnownModel }>()
    for (const key of reads.query(namingModels, gateway)) {
      const known = reads.query(knownModel, key)
      if (!known?.isPublic) continue
      const accepting = (reads.tryQuery(modelCandidates, key) ?? [])
        .filter((verdict) => verdict.gateway === gateway)
        .flatMap(({ listeners }) => listeners)
      for (const listenerKey of new Set(accepting.map((listener) => listener.key))) {
        const place = `${listenerKey} ${known.name}`
        const owner = owners.get(place)
        if (!owner) owners.set(place, { key, known })
        else if (!canShare(owner.known, known)) conflicts.push({ model: key, listenerKey, by: owner.key })
      }
    }
    return conflicts
  },
)

const canShare = (owner: KnownModel, other: KnownModel): boolean =>
  owner.namespace === other.namespace && !owner.isVirtual && !other.isVirtual
