import type { Graph } from '../graph/graph.ts'
import type { Query } from '../graph/query.ts'
import type { Kind } from '../kinds/kinds.ts'
import { objectKey } from '../kinds/object.ts'
import { attempt } from './attempt.ts'
import { translatedBackend } from './backend/translated-backend.ts'
import { gatewayListeners } from './listener/gateway-listeners.ts'
import { translatedModel } from './model/translated-model.ts'
import { translatedPolicy } from './policy/translated-policy.ts'
import { routeCandidates } from './route/route-candidates.ts'
import { routeId, routeObjectKinds } from './route/route-id.ts'
import { routeRules } from './rule/route-rules.ts'

/**
 * Most of what a translation costs, in steps of an object each: the graph keeps the values, and other work of the process
 * can have its turn between two steps. What a step throws is for whoever reads the value.
 */
export function* translationSteps(graph: Graph): Generator<unknown, void> {
  const read = (query: Query<unknown>, key: string): unknown => attempt(() => graph.read(query, key)).value
  for (const [kind, query] of perObject)
    for (const object of graph.objects(kind)) yield read(query, objectKey(object))
  for (const kind of routeObjectKinds)
    for (const object of graph.objects(kind)) {
      const id = routeId(kind, objectKey(object))
      const isOurs = (attempt(() => graph.read(routeCandidates, id)).value ?? []).length > 0
      yield isOurs ? read(routeRules, id) : undefined
    }
}

const perObject: readonly (readonly [Kind, Query<unknown>])[] = [
  ['Gateway', gatewayListeners],
  ['ProxyPolicy', translatedPolicy],
  ['ProxyBackend', translatedBackend],
  ['ProxyModel', translatedModel],
]
