import type { ResourceTree } from '../../../config/xds/resource-tree.ts'
import { type XdsModels, type XdsResource, xdsResource } from '../../../config/xds/xds-resource.ts'
import { defineQuery, type GraphReads, type Query } from '../../graph/query.ts'
import { modelAttachments } from './model-parents.ts'
import { translatedModel } from './translated-model.ts'

/** The models of the listeners of a Gateway: a resource for each listener that has any. Key: that of the Gateway. */
export const gatewayModelResources: Query<ResourceTree> = defineQuery(
  'gatewayModelResources',
  (reads, gateway) => {
    const served = reads.query(modelAttachments, gateway).filter(({ isServed }) => isServed)
    return [...Map.groupBy(served, ({ listenerKey }) => listenerKey)].map(
      ([listenerKey, attachments]): XdsResource =>
        xdsResource(
          'models',
          listenerKey,
          modelSection(
            reads,
            attachments.map(({ model }) => model),
          ),
          [listenerKey],
        ),
    )
  },
)

/** The keys of the models that a Gateway reaches, those behind virtual ones included. Key: that of the Gateway. */
export const reachedModels: Query<readonly string[]> = defineQuery('reachedModels', (reads, gateway) => {
  const attached = reads.query(modelAttachments, gateway).map(({ model }) => model)
  const targets = attached.flatMap((model) => reads.tryQuery(translatedModel, model)?.targets ?? [])
  return [...new Set([...attached, ...targets])].sort()
})

/**
 * Models in the notation of a file, the first ones before others of the same name. What a virtual model refers to is
 * there for it alone if it is not among them.
 */
export const modelSection = (reads: GraphReads, keys: readonly string[]): XdsModels['models'] => {
  const own = keys.flatMap((key) => reads.query(translatedModel, key) ?? [])
  const attached = new Set(keys)
  const targets = new Set(own.flatMap((model) => model.targets.filter((key) => !attached.has(key))))
  const hidden = [...targets].sort().flatMap((key) => reads.query(translatedModel, key) ?? [])
  const models = own.flatMap(({ served }) => ('model' in served ? [served.model] : []))
  const virtualModels = own.flatMap(({ served }) => ('virtualModel' in served ? [served.virtualModel] : []))
  const internal = hidden.flatMap(({ served }) =>
    'model' in served ? [{ ...served.model, visibility: 'internal' as const }] : [],
  )
  return { models: [...models, ...internal], ...(virtualModels.length > 0 ? { virtualModels } : {}) }
}
