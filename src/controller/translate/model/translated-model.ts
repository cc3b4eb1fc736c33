import type * as File from '../../../config/schema/file-types.gen.ts'
import { xdsResource } from '../../../config/xds/xds-resource.ts'
import { defineQuery, type Query } from '../../graph/query.ts'
import { attempt } from '../attempt.ts'
import type { KeySetSource } from '../jwks/key-set-source.ts'
import { proxyRefusal } from '../proxy-check.ts'
import { closedModel, concreteModel } from './concrete-model.ts'
import type { ModelFindings } from './model-findings.ts'
import { modelName } from './known-model.ts'
import { unresolved, virtualModel } from './virtual-model.ts'

/** A ProxyModel, translated. */
export interface TranslatedModel {
  /**
   * If something is missing that it must not be used without, every request for it fails. Undefined if even its name
   * cannot be used.
   */
  readonly served: ServedModel | undefined
  /** The keys of the models that a virtual one refers to. */
  readonly targets: readonly string[]
  /** What is wrong, with the path of the field. */
  readonly problems: readonly string[]
  /** What its policies do, and is hardly meant, with the path of the field. */
  readonly warnings: readonly string[]
  /** What it sends requests to: `Service/namespace/name`, and the same of ProxyBackends and InferencePools, sorted. */
  readonly references: readonly string[]
  /** The key sets that its policies need. */
  readonly keySets: readonly KeySetSource[]
  /** What the translation has thrown. */
  readonly failures: readonly unknown[]
}

/** A concrete model, or a virtual one. */
export type ServedModel = { readonly model: File.LlmModel } | { readonly virtualModel: File.LlmVirtualModel }

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
    const findings: ModelFindings = { holder, targets: new Set(), problems: [], warnings: [], failures: [] }
    const { problems, warnings, targets, failures } = findings
    const isVirtual = object.spec.virtualModel !== undefined
    const outcome = attempt((): ServedModel =>
      isVirtual
        ? { virtualModel: virtualModel(reads, object, findings) }
        : { model: concreteModel(reads, key, object, findings) },
    )
    if ('failure' in outcome) {
      failures.push(outcome.failure)
      problems.push(UNTRANSLATABLE)
    }
    const served =
      outcome.value ??
      (isVirtual
        ? { virtualModel: unresolved(modelName(object)) }
        : { model: closedModel(key, object, UNTRANSLATABLE) })
    return {
      served: isTaken(served) ? served : undefined,
      targets: [...targets].sort(),
      problems,
      warnings,
      references: [...holder.references].sort(),
      keySets: [...holder.keySets.values()],
      failures,
    }
  },
)

const UNTRANSLATABLE = 'cannot be translated; the log has the error'

/** Models share a resource: one that proxies refuse would hold up the others. */
const isTaken = (served: ServedModel): boolean =>
  proxyRefusal(
    xdsResource(
      'models',
      '',
      'model' in served ? { models: [served.model] } : { models: [], virtualModels: [served.virtualModel] },
    ),
  ) === undefined
