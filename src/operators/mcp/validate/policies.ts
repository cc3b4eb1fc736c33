import { child } from '../../../config/document/json-pointer.ts'
import { leadsTo } from '../../../config/validate/policies-of-backend-kinds.ts'
import { httpRoutes, type HttpRouteLocation } from '../../../config/validate/route-locations.ts'
import type { Check, ValidationContext } from '../../../config/validate/context.ts'

/** Warns of policies that delay the streams of MCP servers. */
export const checkMcpPolicies: Check = (view) => {
  for (const route of httpRoutes(view)) examineRoute(view, route)
}

function examineRoute(view: ValidationContext, { value, pointer }: HttpRouteLocation): void {
  const at = child(pointer, 'policies')
  if (value.backends?.some((backend) => leadsTo(view, 'mcp', backend) === true) !== true) return
  const { buffer, transformations } = value.policies ?? {}
  if (buffer?.response !== undefined)
    view.warning(child(child(at, 'buffer'), 'response'), 'mcp_held_back', HELD_BACK)
  const all =
    transformations && ('conditional' in transformations ? transformations.conditional : [transformations])
  if (all?.some(({ response }) => response?.body !== undefined) === true)
    view.warning(child(at, 'transformations'), 'mcp_held_back', HELD_BACK)
}

const HELD_BACK = 'answers of MCP servers are streams: held back until they end, they come late or never'
