import { routePipeline } from '../../gateway.ts'
import type { BackendPolicies, RoutePolicies } from '../../model/policies.ts'
import { deny } from '../../model/reply.ts'
import type { Resources, Route, WeightedBackend } from '../../model/resources.ts'
import type { RouteLabels } from '../../model/snapshot.ts'
import { understandMessage } from '../../operators/backend/mcp/doors/understand-message.ts'
import type { Whose } from '../../operators/backend/mcp/federation/whose.ts'
import { pickByWeight } from '../../operators/backend/pick-by-weight.ts'
import { hearMessage } from '../../operators/mcp/hear-message.ts'
import { route as routeOperator, type PipedRoute } from '../../operators/route/route.ts'
import { routeTable } from '../../operators/route/table.ts'
import { onRequest, type Operator } from '../../pipeline/stage.ts'
import { handDown, mergeBackendPolicies } from '../merge-policies.ts'
import { compileBackend } from './backend.ts'
import { effective } from './effective.ts'
import { hearLlm } from './llm-backend.ts'
import { mcpReader } from './mcp-reader.ts'
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
  /** Told of each backend, as `compileBackend` has it. */
  meet?: (whose: Whose | undefined) => void,
): PipedRoute[] => {
  const compileOne = (route: Route): PipedRoute => {
    const met: (Whose | undefined)[] = []
    const choices = route.backends.map((choice) => ({
      weight: choice.weight,
      pipeline: compileChoice(choice, route, (whose) => {
        met.push(whose)
        meet?.(whose)
      }),
    }))
    const whose = met.filter((one) => one !== undefined)
    // Whether everybody who comes this way speaks MCP.
    const isMcp = whose.length > 0 && whose.length === met.length
    const reader = mcpReader(workshop)
    const stages = routeStages(route.policies, resources.frontend, reader.workshop)
    const hearCall = stages.hearCall ?? (isMcp ? hearMessage() : hearLlm(route, resources))
    const backend = attempts(
      route.policies,
      resources.frontend,
      pickByWeight(choices, workshop.random),
      reader.workshop,
    )
    const understand =
      isMcp && reader.readsMcp()
        ? understandMessage({ whose, limitBytes: resources.frontend.http.maxBufferBytes })
        : undefined
    return {
      key: route.key,
      labels: { ...listener, route: `${route.namespace}/${route.name}`, routeRule: route.ruleName },
      hostnames: route.hostnames,
      matches: route.matches,
      effective: effective('route', route.policies),
      pipeline: routePipeline({ ...stages, hearCall, understand, backend }, workshop.rescuer),
    }
  }

  const compileChoice = (
    { target, policies }: WeightedBackend,
    route: Route,
    meet: (whose: Whose | undefined) => void,
  ): Operator => {
    if (target.kind === 'invalid')
      return answer(deny.bind(undefined, 500, 'backend_missing', { message: 'backend does not exist' }))
    if (target.kind === 'routeGroup') return compileGroup(target.name, route.policies, meet)
    const { backendTLS, backendAuth, backendTunnel, a2a, ai, mcpAuthorization, mcpGuardrails } =
      route.policies
    const outer: BackendPolicies = {
      ...(backendTLS && { backendTLS }),
      ...(backendAuth && { backendAuth }),
      ...(backendTunnel && { backendTunnel }),
      ...(a2a && { a2a }),
      ...(ai && { ai }),
      ...(mcpAuthorization && { mcpAuthorization }),
      ...(mcpGuardrails && { mcpGuardrails }),
    }
    return compileBackend(target, mergeBackendPolicies(outer, policies), resources, workshop, meet)
  }

  const compileGroup = (
    name: string,
    outer: RoutePolicies,
    meet: (whose: Whose | undefined) => void,
  ): Operator => {
    if (within.includes(name))
      return answer(deny.bind(undefined, 500, 'route_cycle', { message: 'route delegation cycle detected' }))
    const group = resources.routeGroups.find((one) => one.name === name)
    const routes = (group?.routes ?? []).map((one) => handDown(outer, one))
    const compiled = compileRoutes(routes, listener, resources, workshop, [...within, name], meet)
    return routeOperator(routeTable(compiled))
  }

  return routes.map(compileOne)
}

const answer = (reply: () => ReturnType<typeof deny>): Operator => onRequest('backend', reply)
