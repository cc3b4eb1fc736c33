import { routePipeline } from '../../gateway.ts'
import { insertStages } from '../../insert-stages.ts'
import type { EncodedSlashes } from '../../model/resources/frontend-policies.ts'
import type { RoutePolicies } from '../../model/resources/policies.ts'
import type { ResourceLookup } from '../../model/resources/resource-index.ts'
import type { BackendTarget, Route, WeightedBackend } from '../../model/resources/resources.ts'
import type { RouteLabels } from '../../model/resources/snapshot.ts'
import {
  pickByWeight,
  type PickOptions,
  type WeightedChoice,
} from '../../operators/backend/pick-by-weight.ts'
import { classifyLlmRequests } from '../../operators/llm/stage/classify-requests.ts'
import { parseMcpMessage } from '../../operators/mcp/endpoint/parse-message.ts'
import type { ResolveTarget } from '../../operators/mcp/federation/resolve-target.ts'
import { readRequestId } from '../../operators/mcp/read-request-id.ts'
import { mcpReader } from '../../operators/mcp/stage/mcp-attribute-use.ts'
import type { PipedRoute } from '../../operators/route/route.ts'
import type { Operator } from '../../pipeline/stage.ts'
import { RoundRobin } from '../../upstream/load-balancing/balancer.ts'
import { hashText } from '../../upstream/load-balancing/rendezvous-hash.ts'
import { handedTo, mergeBackendPolicies } from '../merge-policies.ts'
import { compileBackend, type CompiledBackend, missingBackend, missingGrpcBackend } from './backend.ts'
import type { CompileContext } from './compile-context.ts'
import { effective } from './effective-policies.ts'
import { routeAttempts, routeStages } from './route-stages.ts'

/** Where a route is. */
export interface RouteScope {
  readonly listener: RouteLabels
  /** For routes without a setting of their own; that of the process by default. */
  readonly encodedSlashes?: EncodedSlashes | undefined
  /** The route groups that it delegates to, by their names. */
  readonly groups?: ReadonlyMap<string, CompiledGroup>
}

/** For each backend that requests may reach: the resolver of MCP names; undefined if it is no MCP server. */
type Resolvers = readonly (ResolveTarget | undefined)[]

/** A compiled route. */
export interface CompiledRoute {
  readonly route: PipedRoute
  readonly resolvers: Resolvers
}

/** The routes of a group, in the place of a backend. */
export interface CompiledGroup {
  readonly pipeline: Operator
  readonly resolvers: Resolvers
}

/** One of the backends of a route, which may be a route group. */
interface CompiledChoice {
  readonly pipeline: Operator
  readonly resolvers: Resolvers
  /** Undefined for route groups and backends that do not exist. */
  readonly backend?: CompiledBackend
}

/** Compiles a route. */
export const compileRoute = (route: Route, scope: RouteScope, context: CompileContext): CompiledRoute => {
  const { policies } = route
  const choices = route.backends.map((choice) => compileChoice(choice, route, scope, context))
  const resolvers = [...new Set(choices.flatMap((choice) => choice.resolvers))]
  const isMcp = resolvers.length > 0 && resolvers.every((one) => one !== undefined)
  const reader = mcpReader(context, isMcp)
  const stages = routeStages(policies, reader.context)
  const pick = pickByWeight(
    weightedChoices(route, choices, context.lookup),
    pickOptions(policies, choices, context),
  )
  // Compiled before `readsMcp` is called: its expressions count too.
  const backend = routeAttempts(policies, pick, reader.context)
  const all = {
    ...stages,
    classifyCall:
      stages.classifyCall ?? (isMcp ? readRequestId() : classifyLlmRequests(route, context.lookup)),
    parseMcpMessage:
      isMcp && reader.readsMcp()
        ? parseMcpMessage({ resolvers, limitBytes: context.resources.frontend.http.maxBufferBytes })
        : undefined,
    backend,
  }
  const compiled = {
    key: route.key,
    labels: { ...scope.listener, route: `${route.namespace}/${route.name}`, routeRule: route.ruleName },
    hostnames: route.hostnames,
    matches: route.matches,
    encodedSlashes: slashesOf(route, scope) ?? context.resources.frontend.http.path.encodedSlashes,
    effective: effective('route', policies),
    pipeline: routePipeline(insertStages('route', all, context.insertions, route), context.rescuer),
  }
  return { route: compiled, resolvers }
}

const compileChoice = (
  { target, policies }: WeightedBackend,
  route: Route,
  scope: RouteScope,
  context: CompileContext,
): CompiledChoice => {
  if (target.kind === 'invalid')
    return {
      pipeline: route.kind === 'GRPCRoute' ? missingGrpcBackend() : missingBackend(),
      resolvers: [],
    }
  if (target.kind === 'routeGroup') return groupOf(target.name, scope)
  const outer = handedTo('backends', route.policies)
  const backend = compileBackend(target, mergeBackendPolicies(outer, policies), {
    ...context,
    insertIntoBackend: (stages) => insertStages('backend', stages, context.insertions, route),
  })
  return { pipeline: backend.pipeline, resolvers: [backend.resolveTarget], backend }
}

const groupOf = (name: string, { groups }: RouteScope): CompiledGroup => {
  const group = groups?.get(name)
  if (!group) throw new TypeError(`route group ${name} was not compiled`)
  return group
}

/** How a route handles encoded slashes, and those of its groups that do not say it; undefined for that of the process. */
export const slashesOf = (
  { encodedSlashes }: Pick<Route, 'encodedSlashes'>,
  scope: Pick<RouteScope, 'encodedSlashes'>,
): EncodedSlashes | undefined => encodedSlashes ?? scope.encodedSlashes

const weightedChoices = (
  { backends }: Route,
  choices: readonly CompiledChoice[],
  lookup: ResourceLookup,
): readonly WeightedChoice[] => {
  const identities = backends.map(({ target }) => identityOf(target, lookup))
  return backends.flatMap(({ weight, priority }, i): WeightedChoice[] => {
    const choice = choices[i]
    if (!choice) return []
    const identity = identities[i] ?? ''
    // The same address twice, with different policies, is two choices.
    const earlier = identities.slice(0, i).filter((one) => one === identity).length
    const seed = hashText(`${identity}${earlier || ''}`)
    const condition = choice.backend?.upstream?.condition
    return [{ weight, priority, pipeline: choice.pipeline, seed, condition }]
  })
}

/** What consistent hashing goes by: the address, whatever the position in the list. */
const identityOf = (target: BackendTarget, lookup: ResourceLookup): string => {
  const spec = target.kind === 'backend' ? lookup.backend(target.key)?.spec : undefined
  return JSON.stringify(spec?.type === 'static' ? spec.target : target)
}

const pickOptions = (
  { loadBalancing, health }: RoutePolicies,
  choices: readonly CompiledChoice[],
  { session }: CompileContext,
): PickOptions => {
  const called = choices.flatMap(({ backend }) => (backend?.upstream ? [backend] : []))
  const thresholds = called.map(({ policies }) => policies.health?.panicThreshold ?? 0)
  return {
    balancer: loadBalancing && session.balancer(loadBalancing, new RoundRobin()),
    panicThreshold: health?.panicThreshold ?? Math.max(0, ...thresholds),
  }
}
