import type * as File from '../../../config/schema/file-types.gen.ts'
import type { ResourceTree } from '../../../config/xds/resource-tree.ts'
import { type XdsModels, type XdsResource, xdsResource } from '../../../config/xds/xds-resource.ts'
import { defineQuery, type GraphReads, type Query } from '../../graph/query.ts'
import { reachedRoutes } from '../delegation/delegated-routes.ts'
import { parseRouteId } from '../route/route-id.ts'
import { hasModels } from './has-models.ts'
import { modelAttachments } from './model-parents.ts'
import { modelRuleKey, modelRules } from './model-rules.ts'
import { type TranslatedModel, translatedModel } from './translated-model.ts'

/** The models of the listeners of a Gateway, and of its routes: a resource for each that has any. Key: that of the Gateway. */
export const gatewayModelResources: Query<ResourceTree> = defineQuery(
  'gatewayModelResources',
  (reads, gateway) => [
    reads.query(listenerModels, gateway),
    ...modelRoutes(reads, gateway).map((route) => reads.query(routeModels, route)),
  ],
)

const listenerModels: Query<readonly XdsResource[]> = defineQuery('listenerModels', (reads, gateway) => {
  const served = reads.query(modelAttachments, `Gateway/${gateway}`).filter(({ isServed }) => isServed)
  return [...Map.groupBy(served, ({ section }) => section)].map(([section, attachments]) =>
    xdsResource('models', section, modelSection(reads, attachments.map(modelOf)), [section]),
  )
})

/** The models of each rule of an HTTPRoute that has them; a rule without any replies 404. Key: that of the route. */
const routeModels: Query<readonly XdsResource[]> = defineQuery('routeModels', (reads, route) => {
  const attachments = Map.groupBy(
    reads.query(modelAttachments, `HTTPRoute/${route}`),
    ({ section }) => section,
  )
  return reads.query(modelRules, route).map(({ index }) => {
    const key = modelRuleKey(route, index)
    const own = attachments.get(key) ?? []
    return xdsResource('models', key, modelSection(reads, own.map(modelOf)))
  })
})

/** The keys of the HTTPRoutes of a Gateway whose rules have models. */
const modelRoutes = (reads: GraphReads, gateway: string): readonly string[] =>
  hasModels(reads)
    ? reads
        .query(reachedRoutes, gateway)
        .map(parseRouteId)
        .filter(({ kind, key }) => kind === 'HTTPRoute' && reads.query(modelRules, key).length > 0)
        .map(({ key }) => key)
    : []

const modelOf = ({ model }: { readonly model: string }): string => model

/** The keys of the models that a Gateway reaches, those behind virtual ones included. Key: that of the Gateway. */
export const reachedModels: Query<readonly string[]> = defineQuery('reachedModels', (reads, gateway) => {
  const owners = [`Gateway/${gateway}`, ...modelRoutes(reads, gateway).map((route) => `HTTPRoute/${route}`)]
  const attached = owners.flatMap((owner) => reads.query(modelAttachments, owner).map(modelOf))
  const targets = attached.flatMap((model) => reads.tryQuery(translatedModel, model)?.targets ?? [])
  return [...new Set([...attached, ...targets])].sort()
})

/**
 * Models in the notation of a file, the first ones before others of the same name. What a virtual model refers to is
 * there for it alone if it is not among them.
 */
const modelSection = (reads: GraphReads, keys: readonly string[]): XdsModels['models'] => {
  const read = (list: readonly string[]) => list.flatMap((key) => reads.query(translatedModel, key) ?? [])
  const own = read(keys)
  const shown = new Set(keys)
  const targets = new Set(own.flatMap((model) => model.targets.filter((key) => !shown.has(key))))
  const hidden = concreteOf(read([...targets].sort())).map((model) => ({
    ...model,
    visibility: 'internal' as const,
  }))
  const virtualModels = own.flatMap(({ served }) =>
    served && 'virtualModel' in served ? [served.virtualModel] : [],
  )
  return {
    models: [...concreteOf(own).toSorted(byExactness), ...hidden],
    ...(virtualModels.length > 0 ? { virtualModels } : {}),
  }
}

/** Proxies take names of equal length in this order: a name precedes a pattern, however old that is. */
const byExactness = (a: File.LlmModel, b: File.LlmModel): number =>
  Number(a.name.includes('*')) - Number(b.name.includes('*'))

const concreteOf = (models: readonly TranslatedModel[]): readonly File.LlmModel[] =>
  models.flatMap(({ served }) => (served && 'model' in served ? [served.model] : []))
