import type { RouteLabels } from '../../../model/resources/snapshot.ts'

/** Label values of a route, in the order of the labels. */
export const routeValues = ({ bind, gateway, listener, route, routeRule }: RouteLabels) => [
  bind,
  gateway,
  listener,
  route,
  routeRule,
]
