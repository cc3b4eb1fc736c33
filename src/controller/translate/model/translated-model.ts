import type * as File from '../../../config/schema/file-types.gen.ts'
import { defineQuery, type Query } from '../../graph/query.ts'
import type { KeySetSource } from '../jwks/key-set-source.ts'
import { concreteModel } from './concrete-model.ts'
import type { ModelFindings } from './model-findings.ts'
import { virtualModel } from './virtual-model.ts'

/** A ProxyModel, translated. */
export interface TranslatedModel {
  /** One of both. If something is missing that it must not be used without, every request for it fails. */
  readonly served: { readonly model: File.LlmModel } | { readonly virtualModel: File.LlmVirtualModel }
  /** The keys of the models that a virtual one refers to. */
  readonly targets: readonly string[]
  /** What is wrong, with the path of the field. */
  readonly problems: readonly string[]
  /** What it sends requests to: `Service/namespace/name` or `ProxyBackend/namespace/name`, sorted. */
  readonly references: readonly string[]
  /** The key sets that its policies need. */
  readonly keySets: readonly KeySetSource[]
  /** What the translation has thrown. */
  readonly failures: readonly unknown[]
}

/** A ProxyModel, by its key; undefined if there is none. */
export const translatedModel: Query<TranslatedModel | undefined> = defineQuery(
  'translatedModel',
  (reads, key) => {
    const object = reads.object('ProxyModel', key)
    if (!object) return undefined
    const { namespace = '' } = object.metadata
    const holder: ModelFindings['holder'] = {
      kind: 'ProxyModel',
      namespace,
      references: new Set(),
      keySets: new Map(),
    }
    const findings: ModelFindings = { holder, targets: new Set(), problems: [], failures: [] }
    const { problems, targets, failures } = findings
    const served =
      object.spec.virtualModel === undefined
        ? { model: concreteModel(reads, key, object, findings) }
        : { virtualModel: virtualModel(reads, object, findings) }
    return {
      served,
      targets: [...targets].sort(),
      problems,
      references: [...holder.references].sort(),
      keySets: [...holder.keySets.values()],
      failures,
    }
  },
)
