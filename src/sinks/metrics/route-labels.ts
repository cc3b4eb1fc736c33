import type { RouteLabels } from '../../model/resources/snapshot.ts'

/** What metrics say of the way that an exchange took, in the order of their labels. */
export const routeValues = ({ bind, gateway, listener, route, routeRule }: RouteLabels) => [
  bind,
  gateway,
  listener,
  route,
  routeRule,
]
