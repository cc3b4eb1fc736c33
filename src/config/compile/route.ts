import { routePipeline } from '../../gateway.ts'
import { insertStages } from '../../insert-stages.ts'
import type { EncodedSlashes } from '../../model/resources/frontend-policies.ts'
import type { BackendPolicies, RoutePolicies } from '../../model/resources/policies.ts'
import { deny } from '../../model/exchange/reply.ts'
import type { BackendTarget, Resources, Route, WeightedBackend } from '../../model/resources/resources.ts'
import type { RouteLabels } from '../../model/resources/snapshot.ts'
import { parseMcpMessage } from '../../operators/mcp/endpoint/parse-message.ts'
import type { ResolveTarget } from '../../operators/mcp/federation/resolve-target.ts'
import {
  pickByWeight,
  type PickOptions,
  type WeightedChoice,
} from '../../operators/backend/pick-by-weight.ts'
import { readRequestId } from '../../operators/mcp/read-request-id.ts'
import { route as routeOperator, type PipedRoute } from '../../operators/route/route.ts'
import { routeTable } from '../../operators/route/table.ts'
import { onRequest, type Operator } from '../../pipeline/stage.ts'
import { RoundRobin } from '../../upstream/load-balancing/balancer.ts'
import { hashText } from '../../upstream/load-balancing/rendezvous-hash.ts'
import type { HttpUpstream } from '../../upstream/upstream.ts'
import { handDown, handedTo, mergeBackendPolicies } from '../merge-policies.ts'
import { compileBackend } from './backend.ts'
import { effective } from './effective-policies.ts'
import { classifyLlmRequests } from '../../operators/llm/stage/llm-backend.ts'
import { mcpReader } from '../../operators/mcp/stage/mcp-attribute-use.ts'
import { routeAttempts, routeStages } from './route-stages.ts'
import type { CompileContext } from './compile-context.ts'

/** Makes routes ready to be looked up and run. */
export const compileRoutes = (
  routes: readonly Route[],
  listener: RouteLabels,
  resources: Resources,
  context: CompileContext,
  /** Route groups that lead here, to notice a circle. */
  within: readonly string[] = [],
  /** Told of each backend, as `compileBackend` has it. */
  meet?: (whose: ResolveTarget | undefined) => void,
  /** What holds for routes that do not say it. */
  encodedSlashes: EncodedSlashes = resources.frontend.http.path.encodedSlashes,
): PipedRoute[] => {
  const compileOne = (route: Route): PipedRoute => {
    const met: (ResolveTarget | undefined)[] = []
    const reached: Reached[] = []
    const names = route.backends.map(({ target }) => nameOf(target, resources))
    const choices = route.backends.map((choice, i): WeightedChoice => {
      let upstream: HttpUpstream | undefined
      const pipeline = compileChoice(
        choice,
        route,
        (whose) => {
          met.push(whose)
          meet?.(whose)
        },
        (found) => {
          upstream = found.upstream
          reached.push(found)
        },
      )
      const { weight, priority } = choice
      // The same place twice, with different policies, is two choices.
      const twins = names.slice(0, i).filter((name) => name === names[i]).length
      const seed = hashText(`${names[i] ?? ''}${twins || ''}`)
      return { weight, priority, pipeline, seed, condition: upstream?.condition }
    })
    const targetResolvers = met.filter((one) => one !== undefined)
    // Whether everybody who comes this way speaks MCP.
    const isMcp = targetResolvers.length > 0 && targetResolvers.length === met.length
    const reader = mcpReader(context, isMcp)
    const stages = routeStages(route.policies, resources.frontend, reader.context)
    const hearCall = stages.classifyCall ?? (isMcp ? readRequestId() : classifyLlmRequests(route, resources))
    const backend = routeAttempts(
      route.policies,
      pickByWeight(choices, pickOptions(route.policies, reached, context)),
      reader.context,
    )
    const understand =
      isMcp && reader.readsMcp()
        ? parseMcpMessage({ targetResolvers, limitBytes: resources.frontend.http.maxBufferBytes })
        : undefined
    return {
      key: route.key,
      labels: { ...listener, route: `${route.namespace}/${route.name}`, routeRule: route.ruleName },
      hostnames: route.hostnames,
      matches: route.matches,
      encodedSlashes: route.encodedSlashes ?? encodedSlashes,
      effective: effective('route', route.policies),
      pipeline: routePipeline(
        insertStages(
          'route',
          { ...stages, classifyCall: hearCall, parseMcpMessage: understand, backend },
          context.insertions,
          route,
        ),
        context.rescuer,
      ),
    }
  }

  const compileChoice = (
    { target, policies }: WeightedBackend,
    route: Route,
    meet: (whose: ResolveTarget | undefined) => void,
    reached: (found: Reached) => void,
  ): Operator => {
    if (target.kind === 'invalid')
      return answer(deny.bind(undefined, 500, 'backend_missing', { message: 'backend does not exist' }))
    if (target.kind === 'routeGroup') return compileGroup(target.name, route, meet)
    return compileBackend(
      target,
      mergeBackendPolicies(handedTo('backends', route.policies), policies),
      resources,
      {
        ...context,
        insertIntoBackend: (stages) => insertStages('backend', stages, context.insertions, route),
      },
      meet,
      undefined,
      (upstream, settled) => {
        reached({ upstream, policies: settled })
      },
    )
  }

  const compileGroup = (
    name: string,
    { policies: outer, encodedSlashes: own }: Route,
    meet: (whose: ResolveTarget | undefined) => void,
  ): Operator => {
    if (within.includes(name))
      return answer(deny.bind(undefined, 500, 'route_cycle', { message: 'route delegation cycle detected' }))
    const inherited = own ?? encodedSlashes
    const group = resources.routeGroups.find((one) => one.name === name)
    const routes = (group?.routes ?? []).map((one) => handDown(outer, one))
    const compiled = compileRoutes(routes, listener, resources, context, [...within, name], meet, inherited)
    return routeOperator(routeTable(compiled), inherited)
  }

  return routes.map(compileOne)
}

/** What a backend of a route calls, under the policies that hold there. */
interface Reached {
  readonly upstream: HttpUpstream
  readonly policies: BackendPolicies
}

const pickOptions = (
  { loadBalancing, health }: RoutePolicies,
  reached: readonly Reached[],
  { session }: CompileContext,
): PickOptions => {
  const shares = reached.map(({ policies }) => policies.health?.panicThreshold ?? 0)
  return {
    balancer: loadBalancing && session.balancer(loadBalancing, new RoundRobin()),
    panicThreshold: health?.panicThreshold ?? Math.max(0, ...shares),
  }
}

/** What a choice by key goes by: where the backend is, wherever in the list it stands. */
const nameOf = (target: BackendTarget, { backends }: Resources): string => {
  const spec = target.kind === 'backend' ? backends.find(({ key }) => key === target.key)?.spec : undefined
  return JSON.stringify(spec?.type === 'static' ? spec.target : target)
}

const answer = (reply: () => ReturnType<typeof deny>): Operator => onRequest('backend', reply)
