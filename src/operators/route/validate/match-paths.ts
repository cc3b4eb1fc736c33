import { child } from '../../../config/document/json-pointer.ts'
import {
  encodedSlashes,
  usualEncodedSlashes,
} from '../../../streams/http/frontend/normalize/path-normalization.ts'
import { httpRoutes, type HttpRouteLocation } from '../../../config/validate/route-locations.ts'
import type { Check, ValidationContext } from '../../../config/validate/context.ts'

/** Checks for paths that no request can have under the path settings of the file. */
export const checkMatchPaths: Check = (view) => {
  const routes = httpRoutes(view)
  for (const route of routes) {
    examineEncodedSlashes(view, route, routes)
    if (keeps(view, route, routes)) continue
    for (const { value, pointer } of view.items(route.value.matches, child(route.pointer, 'matches'))) {
      const { exact, pathPrefix } = value.path ?? {}
      const text = exact ?? pathPrefix
      if (text === undefined || !/\\|%2F|%5C/i.test(text)) continue
      view.wrongValue(
        child(child(pointer, 'path'), exact === undefined ? 'pathPrefix' : 'exact'),
        'can never match: requests with an encoded slash or backslash are refused',
        {
          value: text,
          hint: 'encodedSlashes: keep lets them pass, on the route or in frontendPolicies.http.path',
        },
      )
    }
  }
}

/** A group is reached through a route: paths that it refuses never reach the routes of the group. */
function examineEncodedSlashes(
  view: ValidationContext,
  route: HttpRouteLocation,
  all: readonly HttpRouteLocation[],
): void {
  if (route.group === undefined || route.value.encodedSlashes !== 'keep') return
  if (leadingTo(route.group, all).some((outer) => keeps(view, outer, all))) return
  view.wrongValue(
    child(route.pointer, 'encodedSlashes'),
    'has no effect: no route that leads to this group keeps encoded slashes',
    { value: 'keep', hint: 'set it on the route with this routeGroup too' },
  )
}

function keeps(
  view: ValidationContext,
  { value, group }: HttpRouteLocation,
  all: readonly HttpRouteLocation[],
  within: readonly string[] = [],
): boolean {
  if (value.encodedSlashes !== undefined) return encodedSlashes(value.encodedSlashes) === 'keep'
  if (group === undefined || within.includes(group)) return usualEncodedSlashes(view.file) === 'keep'
  return leadingTo(group, all).some((outer) => keeps(view, outer, all, [...within, group]))
}

const leadingTo = (group: string, all: readonly HttpRouteLocation[]): readonly HttpRouteLocation[] =>
  all.filter(({ value }) =>
    value.backends?.some((backend) => 'routeGroup' in backend && backend.routeGroup === group),
  )
