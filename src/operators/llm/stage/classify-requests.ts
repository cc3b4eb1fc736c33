import type { LlmBackend, LlmRouteType } from '../../../model/llm/llm-backend.ts'
import type { ResourceLookup } from '../../../model/resources/resource-index.ts'
import type { Route } from '../../../model/resources/resources.ts'
import type { Operator } from '../../../pipeline/stage.ts'
import { routeTypes } from '../../../protocols/llm/route-type.ts'
import { classifyRequest } from '../request/classify-request.ts'

/**
 * Compiles the stage that classifies requests to language models by path, for a route with no other backends; undefined
 * for other routes.
 */
export const classifyLlmRequests = (
  { backends, policies }: Route,
  resources: ResourceLookup,
): Operator | undefined => {
  const found = backends.map(({ target }) =>
    target.kind === 'backend' ? resources.backend(target.key)?.spec : undefined,
  )
  const [first] = found
  if (first?.type !== 'llm' || !found.every((spec) => spec?.type === 'llm')) return undefined
  return classifyRequest(typesOf(policies.ai?.routes ?? first.routes))
}

/** The type of a path, by the table of a backend. Paths that match no row are conversations, as without a table. */
export const typesOf = (routes: LlmBackend['routes']): ((path: string) => LlmRouteType) => {
  const typeOf = routeTypes(routes)
  return (path) => typeOf(path) ?? 'completions'
}
