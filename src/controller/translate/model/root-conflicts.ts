import { defineQuery, type GraphReads, type Query } from '../../graph/query.ts'
import { namingRoutes } from '../route/naming-routes.ts'
import { parseRouteId, routeAge } from '../route/route-id.ts'
import { routeParents } from '../route/route-parents.ts'
import { hasModels } from './has-models.ts'
import { knownModel } from './known-model.ts'
import { modelCandidates } from './model-candidates.ts'
import { namingModels } from './model-indexes.ts'
import { modelRules } from './model-rules.ts'

/** A listener whose root path both models at the listener and models of a route would serve. */
export interface RootConflict {
  readonly listenerKey: string
  /** Which of both do not. */
  readonly loser: 'models' | 'routes'
  /** What precedes them, with its kind. */
  readonly by: string
}

/**
 * The requests of a listener that no route matches belong to its models, or to the models of a route that takes them all:
 * to the oldest of both. Key: that of the Gateway.
 */
export const rootConflicts: Query<readonly RootConflict[]> = defineQuery(
  'rootConflicts',
  (reads, gateway) => {
    const routes = reads.query(namingRoutes, gateway).flatMap((id): readonly Claim[] => {
      const { kind, key } = parseRouteId(id)
      if (kind !== 'HTTPRoute' || !reads.query(modelRules, key).some(({ isRoot }) => isRoot)) return []
      const listeners = (reads.tryQuery(routeParents, id) ?? [])
        .filter((parent) => parent.gateway === gateway)
        .flatMap((parent) => parent.listeners)
        .filter(({ hostnames }) => hostnames.includes(''))
      return listeners.map((one) => claim('routes', one.key, `HTTPRoute ${key}`, reads.query(routeAge, id)))
    })
    if (routes.length === 0) return []
    const owner = `Gateway/${gateway}`
    const models = reads.query(namingModels, owner).flatMap((key) =>
      (reads.tryQuery(modelCandidates, key) ?? [])
        .filter((parent) => parent.owner === owner)
        .flatMap((parent) => parent.sections)
        .map((section) =>
          claim('models', section.key, `ProxyModel ${key}`, reads.tryQuery(knownModel, key)?.createdAt ?? ''),
        ),
    )
    const byListener = Map.groupBy([...routes, ...models], ({ listenerKey }) => listenerKey)
    return [...byListener].flatMap(([listenerKey, claims]): readonly RootConflict[] => {
      const [first] = claims.toSorted((a, b) => (a.age < b.age ? -1 : 1))
      if (!first || claims.every(({ side }) => side === first.side)) return []
      return [{ listenerKey, loser: first.side === 'models' ? 'routes' : 'models', by: first.by }]
    })
  },
)

interface Claim {
  readonly side: 'models' | 'routes'
  readonly listenerKey: string
  readonly by: string
  /** Orders claims: the time of creation, then the name. */
  readonly age: string
}

const claim = (side: Claim['side'], listenerKey: string, by: string, createdAt: string): Claim => ({
  side,
  listenerKey,
  by,
  age: `${createdAt} ${by}`,
})

/** The rules of an HTTPRoute that listeners of a Gateway do not get. */
export interface LostRule {
  readonly index: number
  readonly listenerKey: string
  readonly by: string
}

/** The rules of a route, given by its id, that lose against models of listeners of a Gateway. */
export const rulesLostToModels = (reads: GraphReads, gateway: string, route: string): readonly LostRule[] =>
  // There are tens of thousands of routes, and models at few clusters.
  hasModels(reads) ? reads.query(lostRules, `${gateway} ${route}`) : []

const lostRules: Query<readonly LostRule[]> = defineQuery('lostRules', (reads, id) => {
  const [gateway = '', route = ''] = id.split(' ')
  const { kind, key } = parseRouteId(route)
  if (kind !== 'HTTPRoute') return []
  const rules = reads.query(modelRules, key).filter(({ isRoot }) => isRoot)
  if (rules.length === 0) return []
  const wide = new Set(
    (reads.tryQuery(routeParents, route) ?? [])
      .flatMap(({ listeners }) => listeners)
      .flatMap(({ key: listener, hostnames }) => (hostnames.includes('') ? [listener] : [])),
  )
  return reads
    .query(rootConflicts, gateway)
    .filter(({ loser, listenerKey }) => loser === 'routes' && wide.has(listenerKey))
    .flatMap(({ listenerKey, by }) => rules.map(({ index }) => ({ index, listenerKey, by })))
})
