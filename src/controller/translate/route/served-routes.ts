import { defineQuery, type Query } from '../../graph/query.ts'
import { routeAttachments } from './route-attachments.ts'

/** The ids of the routes that the listeners of a Gateway serve, by the key of the Gateway. */
export const servedRoutes: Query<readonly string[]> = defineQuery('servedRoutes', (reads, gateway) => [
  ...new Set(reads.query(routeAttachments, gateway).map(({ route }) => route)),
])
