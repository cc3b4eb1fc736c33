import type * as File from '../../../config/schema/file-types.gen.ts'
import { child } from '../../../config/document/json-pointer.ts'
import { backendName } from '../../../config/normalize/references.ts'
import { allListeners, type HttpRouteLocation, httpRoutes } from '../../../config/validate/route-locations.ts'
import type { Check, ValidationContext } from '../../../config/validate/context.ts'
import { stripStringLiterals } from '../../../config/validate/strip-string-literals.ts'

/** Checks rules about MCP requests where requests are not only MCP: they would refuse every caller. */
export const checkMcpAttributeScope: Check = (view) => {
  const routes = httpRoutes(view)
  for (const route of routes)
    if (!isAllMcp(view, route.value))
      examineRules(view, route.value.policies, child(route.pointer, 'policies'))
  for (const { policies, policiesPointer } of allListeners(view))
    examineRules(view, policies, policiesPointer)
  for (const { value, pointer } of view.items(view.file.policies, '/policies'))
    if (!reachesMcpOnly(view, value, routes)) examineRules(view, value.policy, child(pointer, 'policy'))
}

/** Whether a policy by target applies to MCP only. */
function reachesMcpOnly(
  view: ValidationContext,
  { target, phase }: File.TargetedPolicy,
  routes: readonly HttpRouteLocation[],
): boolean {
  const { route, backend } = target
  if (phase === 'gateway') return false
  if (backend !== undefined) return backend.backend !== undefined && isMcp(view, backend.backend.name)
  // The exact routes of a gateway are not determined: all routes of the file are a safe superset.
  const held = routes.filter(
    ({ name, namespace, group }) =>
      group === undefined &&
      (route === undefined || (name === route.name && namespace === (route.namespace ?? 'default'))),
  )
  return held.every(({ value }) => isAllMcp(view, value))
}

/** Whether all requests of a route go to MCP servers, directly or through a group. */
function isAllMcp(
  view: ValidationContext,
  { backends = [] }: File.Route,
  within: readonly string[] = [],
): boolean {
  return (
    backends.length > 0 &&
    backends.every(({ mcp, backend, routeGroup }) => {
      if (routeGroup === undefined)
        return backend === undefined ? mcp !== undefined : isMcp(view, backendName(backend))
      const group = view.file.routeGroups?.find(({ name }) => name === routeGroup)
      return (
        group?.routes !== undefined &&
        !within.includes(routeGroup) &&
        group.routes.every((route) => isAllMcp(view, route, [...within, routeGroup]))
      )
    })
  )
}

const isMcp = (view: ValidationContext, backend: string): boolean =>
  view.file.backends?.find(({ name }) => name === backend)?.mcp !== undefined

function examineRules(
  view: ValidationContext,
  { authorization }: File.RoutePolicies = {},
  pointer: string,
): void {
  const rules = child(child(pointer, 'authorization'), 'rules')
  for (const { value, pointer: at } of view.items(authorization?.rules, rules)) {
    const texts = typeof value === 'string' ? [value] : Object.values(value)
    if (texts.some((text) => READS_MCP.test(stripStringLiterals(text))))
      view.warning(at, 'authorization_reads_mcp', UNKNOWN)
  }
}

const UNKNOWN =
  'mcp is not known here: rules about tools, prompts and resources belong to mcpAuthorization, or to routes that lead to MCP servers only'
const READS_MCP = /(?<![\w.])mcp\s*[.[]/
