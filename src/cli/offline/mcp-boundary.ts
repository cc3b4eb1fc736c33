import type { Insertion } from '../../insert-stages.ts'
import { respond } from '../../model/exchange/reply.ts'
import type { Resources } from '../../model/resources/resources.ts'
import { onRequest } from '../../pipeline/stage.ts'

/** Ends requests before MCP servers, which may be programs: behind the policies of the backend, with an empty 200. */
export const mcpBoundary = (
  { binds, routeGroups, backends }: Resources,
  onReached: () => void = () => undefined,
): readonly Insertion[] => {
  const servers = new Set(backends.filter(({ spec }) => spec.type === 'mcp').map(({ key }) => key))
  const routes = [...binds.flatMap((bind) => bind.listeners), ...routeGroups].flatMap((one) => one.routes)
  const names = routes
    .filter((route) =>
      route.backends.some(({ target }) => target.kind === 'backend' && servers.has(target.key)),
    )
    .map(({ namespace, name }) => `${namespace}/${name}`)
  if (names.length === 0) return []
  const operator = onRequest('mcp', () => {
    onReached()
    return respond(200, '')
  })
  return [{ level: 'backend', before: 'call', routes: [...new Set(names)], operator }]
}
