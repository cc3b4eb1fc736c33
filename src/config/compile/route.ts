import { routePipeline } from '../../gateway.ts'
import type { BackendPolicies, RoutePolicies } from '../../model/policies.ts'
import { deny } from '../../model/reply.ts'
import type { Resources, Route, WeightedBackend } from '../../model/resources.ts'
import type { RouteLabels } from '../../model/snapshot.ts'
import { pickByWeight } from '../../operators/backend/pick-by-weight.ts'
import { hearMessage } from '../../operators/mcp/hear-message.ts'
import { route as routeOperator, type PipedRoute } from '../../operators/route/route.ts'
import { routeTable } from '../../operators/route/table.ts'
import { onRequest, type Operator } from '../../pipeline/stage.ts'
import { handDown, mergeBackendPolicies } from '../merge-policies.ts'
import { compileBackend } from './backend.ts'
import { effective } from './effective.ts'
import { attempts, routeStages } from './route-stages.ts'
import type { Workshop } from './workshop.ts'

/** Makes routes ready to be looked up and run. */
export const compileRoutes = (
  routes: readonly Route[],
  listener: RouteLabels,
  resources: Resources,
  workshop: Workshop,
  /** Route groups that lead here, to notice a circle. */
  within: readonly string[] = [],
): PipedRoute[] => {
  const compileOne = (route: Route): PipedRoute => {
    const choices = route.backends.map((choice) => ({
      weight: choice.weight,
      pipeline: compileChoice(choice, route),
    }))
    const stages = routeStages(route.policies, resources.frontend, workshop)
    const hearCall = stages.hearCall ?? (leadsToMcp(route, resources) ? hearMessage() : undefined)
    const backend = attempts(
      route.policies,
      resources.frontend,
      pickByWeight(choices, workshop.random),
      workshop,
    )
    return {
      key: route.key,
      labels: { ...listener, route: `${route.namespace}/${route.name}`, routeRule: route.ruleName },
      hostnames: route.hostnames,
      matches: route.matches,
      effective: effective('route', route.policies),
      pipeline: routePipeline({ ...stages, hearCall, backend }, workshop.rescuer),
    }
  }

  const compileChoice = ({ target, policies }: WeightedBackend, route: Route): Operator => {
    if (target.kind === 'invalid')
      return answer(deny.bind(undefined, 500, 'backend_missing', { message: 'backend does not exist' }))
    if (target.kind === 'routeGroup') return compileGroup(target.name, route.policies)
    const { backendTLS, backendAuth, a2a, mcpAuthorization, mcpGuardrails } = route.policies
    const outer: BackendPolicies = {
      ...(backendTLS && { backendTLS }),
      ...(backendAuth && { backendAuth }),
      ...(a2a && { a2a }),
      ...(mcpAuthorization && { mcpAuthorization }),
      ...(mcpGuardrails && { mcpGuardrails }),
    }
    return compileBackend(target, mergeBackendPolicies(outer, policies), resources, workshop)
  }

  const compileGroup = (name: string, outer: RoutePolicies): Operator => {
    if (within.includes(name))
      return answer(deny.bind(undefined, 500, 'route_cycle', { message: 'route delegation cycle detected' }))
    const group = resources.routeGroups.find((one) => one.name === name)
    const routes = (group?.routes ?? []).map((one) => handDown(outer, one))
    return routeOperator(routeTable(compileRoutes(routes, listener, resources, workshop, [...within, name])))
  }

  return routes.map(compileOne)
}

/** Whether everybody who comes this way speaks MCP. */
const leadsToMcp = ({ backends }: Route, resources: Resources): boolean =>
  backends.length > 0 &&
  backends.every(
    ({ target }) =>
      target.kind === 'backend' &&
      resources.backends.find(({ key }) => key === target.key)?.spec.type === 'mcp',
  )

const answer = (reply: () => ReturnType<typeof deny>): Operator => onRequest('backend', reply)
