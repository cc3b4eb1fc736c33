import { defineQuery, type Query } from '../../graph/query.ts'
import type { ProxyModel } from '../../kinds/custom-resources.ts'

/** What others depend on of a ProxyModel, whatever serves it. */
export interface KnownModel {
  readonly namespace: string
  /** What clients request; may have a `*`. */
  readonly name: string
  readonly isPublic: boolean
  readonly isVirtual: boolean
  /** When it was created, as RFC 3339. */
  readonly createdAt: string
}

/** A ProxyModel by its key; undefined if there is none. */
export const knownModel: Query<KnownModel | undefined> = defineQuery('knownModel', (reads, key) => {
  const model = reads.object('ProxyModel', key)
  return (
    model && {
      namespace: model.metadata.namespace ?? '',
      name: modelName(model),
      // A virtual model is there for clients alone: its definition refuses another visibility.
      isPublic: model.spec.visibility !== 'Internal' || model.spec.virtualModel !== undefined,
      isVirtual: model.spec.virtualModel !== undefined,
      createdAt: model.metadata.creationTimestamp ?? '',
    }
  )
})

/** The name or the pattern of a ProxyModel. */
export const modelName = ({ metadata, spec }: ProxyModel): string => spec.match?.model ?? metadata.name
