import { defineQuery, type GraphReads, type Query } from '../../graph/query.ts'
import { kindConflictsByRoute } from './kind-conflicts.ts'
import { routeCandidates, type RouteParentVerdict } from './route-candidates.ts'
import { parseRouteId } from './route-id.ts'

/** The parents of a route that are ours, by the id of the route. Each parentRef has a verdict of its own. */
export const routeParents: Query<readonly RouteParentVerdict[]> = defineQuery('routeParents', (reads, id) =>
  reads.query(routeCandidates, id).map((candidate) => withoutConflicts(reads, id, candidate)),
)

const withoutConflicts = (reads: GraphReads, id: string, parent: RouteParentVerdict): RouteParentVerdict => {
  const conflicts = reads.query(kindConflictsByRoute, parent.gateway).get(id) ?? []
  if (conflicts.length === 0) return parent
  const listeners = parent.listeners.filter(
    ({ key }) => !conflicts.some(({ listenerKey }) => listenerKey === key),
  )
  const lost = conflicts.find(({ listenerKey }) => parent.listeners.some(({ key }) => key === listenerKey))
  if (listeners.length > 0 || !lost) return { ...parent, listeners }
  const { kind, key } = parseRouteId(lost.by)
  return {
    ...parent,
    listeners,
    denial: {
      reason: 'HostnameConflict',
      message: `The route has a host name of ${kind} ${key}, which precedes it; a host name has routes of one kind`,
    },
  }
}
