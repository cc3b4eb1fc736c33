import { defineQuery, type Query } from '../../graph/query.ts'
import { routeParents } from '../route/route-parents.ts'
import { delegationOf } from './delegated-routes.ts'

/** The keys of the Gateways that serve a route, as one of their own or as a child of another; by its id. */
export const gatewaysOfRoute: Query<readonly string[]> = defineQuery('gatewaysOfRoute', (reads, id) => [
  ...new Set([
    ...reads.query(routeParents, id).flatMap(({ denial, gateway }) => (denial ? [] : [gateway])),
    ...(reads.query(delegationOf, id)?.gateways ?? []),
  ]),
])
