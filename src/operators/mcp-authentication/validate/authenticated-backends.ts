import { child } from '../../../config/document/json-pointer.ts'
import { backendName } from '../../../config/normalize/references.ts'
import type * as File from '../../../config/schema/file-types.gen.ts'
import type { Check, Item, ValidationContext } from '../../../config/validate/context.ts'
import { httpRoutes } from '../../../config/validate/route-locations.ts'
import { aiProviders } from '../../llm/validate/locations.ts'

/** Checks that `mcpAuthentication` of backends is that of MCP servers: elsewhere nothing would authenticate. */
export const checkAuthenticatedBackends: Check = (view) => {
  for (const { value, pointer } of view.items(view.file.backends, '/backends'))
    if (value.mcp === undefined) refuse(view, value, pointer)
  for (const { value, pointer } of backendsOfRoutes(view).flat())
    if (value.mcp === undefined && value.backend === undefined) refuse(view, value, pointer)
  for (const { value, pointer } of aiProviders(view)) refuse(view, value, pointer)
  for (const { value, pointer } of view.items(view.file.policies, '/policies')) {
    const { policy, target } = value
    const isOfPart = target.backend?.service !== undefined || target.backend?.backend?.section !== undefined
    if (policy.mcpAuthentication !== undefined && isOfPart)
      view.problem(
        child(child(pointer, 'policy'), 'mcpAuthentication'),
        'mcpAuthentication can only target a backend as a whole',
      )
  }
}

/** Checks that the backends of a route agree: one route has one resource that clients get tokens for. */
export const checkCommonAuthentication: Check = (view) => {
  for (const backends of backendsOfRoutes(view)) {
    const found = backends.map(({ value }) => JSON.stringify(authenticationOf(view, value)))
    const other = found.findIndex((one) => one !== found[0])
    const at = backends[other]?.pointer
    if (at !== undefined)
      view.problem(at, 'all backends of a route must have the same mcpAuthentication, or none of them')
  }
}

type Backend = Pick<File.RouteBackend, 'policies' | 'mcp' | 'backend'>

const backendsOfRoutes = (view: ValidationContext): readonly (readonly Item<File.RouteBackend>[])[] =>
  httpRoutes(view).map((route) => view.items(route.value.backends, child(route.pointer, 'backends')))

const authenticationOf = (view: ValidationContext, { policies, backend }: Backend): unknown =>
  policies?.mcpAuthentication ??
  (backend === undefined
    ? undefined
    : view.file.backends?.find(({ name }) => name === backendName(backend))?.policies?.mcpAuthentication)

const refuse = (view: ValidationContext, { policies }: Pick<Backend, 'policies'>, pointer: string): void => {
  if (policies?.mcpAuthentication !== undefined)
    view.problem(
      child(child(pointer, 'policies'), 'mcpAuthentication'),
      'mcpAuthentication is for MCP servers: write it into the policies of the route',
    )
}
