import type * as File from '../../../config/schema/file-types.gen.ts'
import { child } from '../../../config/document/json-pointer.ts'
import { backendName } from '../../../config/normalize/references.ts'
import { httpRoutes, type HttpRouteLocation } from '../../../config/validate/route-locations.ts'
import type { Check, ValidationContext } from '../../../config/validate/context.ts'

/** Warns of policies that have no effect on MCP, or delay its streams. */
export const checkMcpPolicies: Check = (view) => {
  for (const route of httpRoutes(view)) examineRoute(view, route)
  for (const { value, pointer } of view.items(view.file.backends, '/backends'))
    if (value.mcp === undefined) noRules(view, value.policies, child(pointer, 'policies'))
}

function examineRoute(view: ValidationContext, { value, pointer }: HttpRouteLocation): void {
  const at = child(pointer, 'policies')
  const backends = view.items(value.backends, child(pointer, 'backends'))
  const isMcp = backends.map((backend) => leadsToMcp(view, backend.value))
  backends.forEach((backend, i) => {
    if (isMcp[i] === false) noRules(view, backend.value.policies, child(backend.pointer, 'policies'))
  })
  if (isMcp.length > 0 && isMcp.every((one) => one === false)) noRules(view, value.policies, at)
  if (!isMcp.includes(true)) return
  const { buffer, transformations } = value.policies ?? {}
  if (buffer?.response !== undefined)
    view.warning(child(child(at, 'buffer'), 'response'), 'mcp_held_back', HELD_BACK)
  const all =
    transformations && ('conditional' in transformations ? transformations.conditional : [transformations])
  if (all?.some(({ response }) => response?.body !== undefined) === true)
    view.warning(child(at, 'transformations'), 'mcp_held_back', HELD_BACK)
}

const HELD_BACK = 'answers of MCP servers are streams: held back until they end, they come late or never'

/** Whether requests reach MCP servers. Undefined for groups of routes, whose routes have their own backends. */
function leadsToMcp(
  view: ValidationContext,
  { mcp, backend, routeGroup }: File.RouteBackend,
): boolean | undefined {
  if (routeGroup !== undefined) return undefined
  if (backend === undefined) return mcp !== undefined
  const named = view.file.backends?.find(({ name }) => name === backendName(backend))
  return named === undefined ? undefined : named.mcp !== undefined
}

function noRules(
  view: ValidationContext,
  policies: Pick<File.BackendPolicies, 'mcpAuthorization' | 'mcpGuardrails'> = {},
  pointer: string,
): void {
  for (const name of ['mcpAuthorization', 'mcpGuardrails'] as const) {
    if (policies[name] === undefined) continue
    const message = `${name} has an effect on MCP servers only, and there are none behind it`
    view.warning(child(pointer, name), 'no_effect', message)
  }
}
