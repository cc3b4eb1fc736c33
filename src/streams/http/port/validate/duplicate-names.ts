import { child } from '../../../../config/document/json-pointer.ts'
import {
  httpRoutes,
  type RouteLocation,
  tcpRoutes,
  udpRoutes,
} from '../../../../config/validate/route-locations.ts'
import type { Check, Item, ValidationContext } from '../../../../config/validate/context.ts'

/** Reports duplicate names, which would make references ambiguous. */
export const checkDuplicateNames: Check = (view) => {
  const { file } = view
  unique(view, view.items(file.backends, '/backends'), ({ name }) => name, 'backend', 'name')
  unique(view, view.items(file.routeGroups, '/routeGroups'), ({ name }) => name, 'route group', 'name')
  unique(view, view.items(file.workloads, '/workloads'), ({ uid }) => uid, 'workload', 'uid')
  unique(
    view,
    view.items(file.services, '/services'),
    ({ namespace, hostname }) => `${namespace ?? 'default'}/${hostname.toLowerCase()}`,
    'service',
    'hostname',
  )
  unique(
    view,
    view.items(file.policies, '/policies'),
    ({ name }) => `${name.namespace ?? 'default'}/${name.name}`,
    'policy',
    'name',
  )
  uniqueRoutes(view, httpRoutes(view))
  uniqueRoutes(view, tcpRoutes(view))
  uniqueRoutes(view, udpRoutes(view))
}

function unique<T>(
  view: ValidationContext,
  items: readonly Item<T>[],
  key: (value: T) => string,
  what: string,
  field: string,
): void {
  const seen = new Map<string, Item<T>>()
  for (const item of items) {
    const name = key(item.value)
    const first = seen.get(name)
    if (first === undefined) seen.set(name, item)
    else {
      const where = view.document.display(first.pointer)
      view.wrongValue(child(item.pointer, field), `is the name of another ${what} already: ${where}`, {
        value: name,
      })
    }
  }
}

/** Names of routes are unique in a listener or group; rules of one route may share a name. */
function uniqueRoutes(
  view: ValidationContext,
  routes: readonly RouteLocation<{ ruleName?: string }>[],
): void {
  const seen = new Map<string, RouteLocation<unknown>>()
  const reported = new Set<string>()
  for (const route of routes) {
    const owners =
      route.group === undefined ? route.listeners.map(({ label }) => label) : [`route group ${route.group}`]
    for (const owner of owners) {
      const key = JSON.stringify([owner, route.namespace, route.name, route.value.ruleName])
      const first = seen.get(key)
      if (first === undefined) seen.set(key, route)
      else if (!reported.has(route.pointer)) {
        reported.add(route.pointer)
        const where = view.document.display(first.pointer)
        view.wrongValue(child(route.pointer, 'name'), `is the name of another route already: ${where}`, {
          value: route.name,
        })
      }
    }
  }
}
