import { defineQuery, type GraphReads, type Query } from '../../graph/query.ts'
import { kindConflictsByRoute } from './kind-conflicts.ts'
import { routeCandidates, type RouteParentVerdict } from './route-candidates.ts'
import { parseRouteId, routeAtGateway } from './route-id.ts'
import { routeLimit } from './route-limit.ts'

/** The parents of a route that are ours, by the id of the route. Each parentRef has a verdict of its own. */
export const routeParents: Query<readonly RouteParentVerdict[]> = defineQuery('routeParents', (reads, id) =>
  reads
    .query(routeCandidates, id)
    .map((candidate) => withinLimit(reads, id, withoutConflicts(reads, id, candidate))),
)

/** A route beyond the limit is at none of its listeners: proxies compile a rule for each, whatever it does. */
const withinLimit = (reads: GraphReads, id: string, parent: RouteParentVerdict): RouteParentVerdict => {
  if (parent.listeners.length === 0) return parent
  const message = reads.query(routeLimit, routeAtGateway(parent.gateway, id))
  return message === undefined
    ? parent
    : { ...parent, listeners: [], denial: { reason: 'TooManyRules', message } }
}

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
