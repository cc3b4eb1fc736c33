import { child } from '../../../config/document/json-pointer.ts'
import type { Check } from '../../../config/validate/context.ts'

/** Checks for groups that delegate to themselves: a request would loop. */
export const checkRouteGroups: Check = (view) => {
  const edges = new Map<string, { to: string; pointer: string }[]>()
  for (const { value, pointer } of view.items(view.file.routeGroups, '/routeGroups')) {
    const leads: { to: string; pointer: string }[] = []
    for (const route of view.items(value.routes, child(pointer, 'routes'))) {
      for (const backend of view.items(route.value.backends, child(route.pointer, 'backends'))) {
        const to = backend.value.routeGroup
        if (to !== undefined) leads.push({ to, pointer: child(backend.pointer, 'routeGroup') })
      }
    }
    edges.set(value.name, leads)
  }
  const done = new Set<string>()
  const visit = (name: string, path: readonly string[]): void => {
    if (done.has(name)) return
    for (const { to, pointer } of edges.get(name) ?? []) {
      const from = [...path, name]
      if (!from.includes(to)) visit(to, from)
      else {
        const cycle = [...from.slice(from.indexOf(to)), to].join(' → ')
        view.wrongValue(pointer, `route delegation cycle: ${cycle}`)
      }
    }
    done.add(name)
  }
  for (const name of edges.keys()) visit(name, [])
}
