import type * as File from '../file-types.gen.ts'
import { child } from '../instance-path.ts'
import { httpRoutes } from './sites.ts'
import type { Item, View } from './view.ts'

/** MCP servers behind one address, and where that is written. */
export interface McpSite {
  readonly value: File.McpBackend
  readonly pointer: string
}

/** All of them: of routes, of the section `backends`, and the section `mcp`. */
export function mcpSites(view: View): readonly McpSite[] {
  const { mcp, backends } = view.file
  return [
    ...httpRoutes(view)
      .filter(({ isSection }) => isSection !== true)
      .flatMap((route) =>
        view.items(route.value.backends, child(route.pointer, 'backends')).flatMap(ofBackend),
      ),
    ...view.items(backends, '/backends').flatMap(ofBackend),
    ...(mcp === undefined ? [] : [{ value: mcp, pointer: '/mcp' }]),
  ]
}

/** The servers of all of them. */
export function mcpTargets(view: View): readonly Item<File.McpTarget>[] {
  return mcpSites(view).flatMap(({ value, pointer }) => view.items(value.targets, child(pointer, 'targets')))
}

function ofBackend({ value, pointer }: Item<File.RouteBackend | File.NamedBackend>): readonly McpSite[] {
  return value.mcp === undefined ? [] : [{ value: value.mcp, pointer: child(pointer, 'mcp') }]
}
