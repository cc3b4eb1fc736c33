import { defineQuery, type GraphReads, type Query } from '../../graph/query.ts'
import { gatewayListeners } from '../listener/gateway-listeners.ts'
import { knownModel, type KnownModel } from './known-model.ts'
import { modelCandidates } from './model-candidates.ts'
import { namingModels } from './model-indexes.ts'
import { translatedModel } from './translated-model.ts'

/**
 * Models that a namespace may have at a Gateway, each counted for each listener that accepts it, and again for each KiB
 * that it is long. A proxy gets each model for each listener, and compiles it, which takes 5 KB: without a limit, a
 * thousand models at a thousand listeners would fill 5 GB. Counted by namespace, no tenant can use up what another one has.
 */
const MAX_MODELS_AT_LISTENERS = 100_000
/** Models at so many listeners do not count: most have one or two, and cost little more than the objects that they are. */
const FEW_LISTENERS = 16
/** Characters of JSON. */
const MODEL_SIZE = 1024

/**
 * Why models are not served at a Gateway, because there are too many of their namespace; by their keys. The most specific
 * names come first: requests for a model that is left out never get to a wider pattern of its namespace, which may have
 * fewer guards. Key: that of the Gateway.
 */
export const modelLimit: Query<ReadonlyMap<string, string>> = defineQuery('modelLimit', (reads, gateway) => {
  const beyond = new Map<string, string>()
  if (reads.query(gatewayListeners, gateway).length <= FEW_LISTENERS) return beyond
  const owner = `Gateway/${gateway}`
  const left = new Map<string, number>()
  const models = reads.query(namingModels, owner).flatMap((key) => {
    const known = reads.tryQuery(knownModel, key)
    const count = known && listenersOf(reads, owner, key)
    return count ? [{ key, ...known, count }] : []
  })
  for (const { key, namespace, name, count } of models.toSorted((a, b) => widthOf(a) - widthOf(b))) {
    const before = left.get(namespace) ?? MAX_MODELS_AT_LISTENERS
    if (count <= FEW_LISTENERS && (before >= 0 || !isPattern(name))) continue
    const after = before < 0 ? before : before - count * (reads.tryQuery(servedSize, key) ?? 1)
    if (after < 0) beyond.set(key, tooManyModels(namespace, gateway))
    left.set(namespace, after)
  }
  return beyond
})

const isPattern = (name: string): boolean => name.includes('*')

/** Of two patterns, the longer one is served. */
const widthOf = ({ name }: KnownModel): number => (isPattern(name) ? 1 / name.length : 0)

/** The number of listeners that would accept a model. */
const listenersOf = (reads: GraphReads, owner: string, model: string): number =>
  new Set(
    (reads.tryQuery(modelCandidates, model) ?? [])
      .filter((parent) => parent.owner === owner)
      .flatMap((parent) => parent.sections.map(({ key }) => key)),
  ).size

const tooManyModels = (namespace: string, gateway: string): string =>
  `Models of namespace ${namespace} at more than ${FEW_LISTENERS} listeners of Gateway ${gateway} are more than ${MAX_MODELS_AT_LISTENERS} there, each counted for each listener and each KiB; names come before patterns, and older models first`

/** A model counts with those that it refers to: a listener gets them as well. Key: that of the model. */
const servedSize: Query<number> = defineQuery('servedSize', (reads, key) =>
  (reads.tryQuery(translatedModel, key)?.targets ?? []).reduce(
    (sum, target) => sum + (reads.tryQuery(modelSize, target) ?? 1),
    reads.query(modelSize, key),
  ),
)

const modelSize: Query<number> = defineQuery(
  'modelSize',
  (reads, key) =>
    1 + Math.floor(JSON.stringify(reads.object('ProxyModel', key)?.spec ?? {}).length / MODEL_SIZE),
)
