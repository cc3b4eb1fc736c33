import type { FrontendPolicies } from '../../../model/resources/frontend-policies.ts'
import type { RequestTracing } from '../../../model/tracing/request-tracing.ts'
import { isPassthrough } from '../../../model/resources/passthrough.ts'
import type { Bind, Listener, Route, TcpRoute, UdpRoute } from '../../../model/resources/resources.ts'
import type { CompiledListener, RouteLabels, UdpTargets } from '../../../model/resources/snapshot.ts'
import type { CredentialField } from '../../../model/policies/credential-location.ts'
import { redactTracedCredentials } from '../../../operators/credentials/redact-credentials.ts'
import { mcpDiscoveryStage } from '../../../operators/mcp-authentication/stage.ts'
import type { Tracing } from '../../../operators/otlp/schema.ts'
import type { PipedRoute } from '../../../operators/route/route.ts'
import { type RouteTable, routeTable } from '../../../operators/route/table.ts'
import type { Operator } from '../../../pipeline/stage.ts'
import { type ListenerStages, listenerPipeline } from '../../../gateway.ts'
import { insertStages } from '../../../insert-stages.ts'
import type { GatewayPolicies } from '../../../model/resources/policies.ts'
import { sortAfter, type SortedByPrecedence, sortedByPrecedence } from '../../resource-precedence.ts'
import type { CompilePass } from '../compile-pass.ts'
import { effective, effectiveFrontend } from '../effective-policies.ts'
import { frontendOfListener, type ListenerOfBind, scopeOfStages } from '../frontend.ts'
import { listenerStages } from './listener-stages.ts'
import type { ListenerTraits } from './listener-traits.ts'
import { RouteCompiler } from '../routes/route-compiler.ts'
import { type CompiledTcpRoute, compileTcpRoute, tcpTargets } from '../tcp-route.ts'
import { compileUdpRoute, udpTargets } from '../udp-route.ts'

/** What all listeners have in common. */
export interface ListenerScope {
  /** Locations of credentials in route groups. */
  readonly groupCredentials: readonly CredentialField[]
  readonly traits: (listener: Listener) => ListenerTraits
  /** Begins spans, by each policy. */
  readonly tracing: ReadonlyMap<Tracing, RequestTracing>
}

/** The compiled parts of a listener. */
interface ListenerParts {
  readonly labels: RouteLabels
  readonly frontend: FrontendPolicies
  readonly tracing: RequestTracing | undefined
  readonly stages: ListenerStages
  readonly mcpMetadata: Operator | undefined
  /** In the order of precedence. */
  readonly routes: readonly PipedRoute[]
  readonly tcpRoutes: readonly CompiledTcpRoute[]
  /** Of UDP listeners only. */
  readonly udp: UdpTargets | undefined
  /** Locations of everything that must not be traced. */
  readonly credentials: readonly CredentialField[]
}

/**
 * Compiles a listener. Yields after each part. Each route is a part, so that a change of one compiles that one and the
 * table; a listener none of whose parts has changed is taken over whole.
 */
export function* compileListener(
  of: ListenerOfBind,
  { groupCredentials, traits: traitsOf, tracing: tracings }: ListenerScope,
  pass: CompilePass,
): Generator<undefined, CompiledListener> {
  const { bind, listener } = of
  const traits = traitsOf(listener)
  const labels = labelsOf(bind, listener, pass)
  const { derived } = pass
  const frontend = frontendOfListener(of, pass)
  const tracing = frontend.tracing && tracings.get(frontend.tracing)
  const [scope, within] = scopeOfStages(frontend, labels, pass)
  const inOrder = yield* derived.steps<SortedByPrecedence<Route>>('sorted routes', labels, (before) =>
    sortAfter(listener.routes, before),
  )
  const routes = yield* new RouteCompiler({
    key: `${bind.key} ${listener.key}`,
    labels,
    scope,
    within,
    pass,
  }).routes(inOrder.sorted)
  const stages = yield* pass.part(
    'listener stages',
    scope,
    listener.policies,
    (policies: GatewayPolicies, context) => listenerStages(policies, within(context)),
  )
  // Of most listeners no route has any: then a change of the routes is none for this part.
  const located = traits.mayServeMetadata ? listener.routes : none
  const mcpMetadata = yield* pass.part('MCP metadata', scope, located, (served: readonly Route[], context) =>
    mcpDiscoveryStage(served, within(context)),
  )
  const tcpListener = derived.of('TCP listener', labels, [labels, isPassthrough(listener)], () => ({
    labels,
    isPassthrough: isPassthrough(listener),
  }))
  const tcpRoutes = yield* pass.parts(
    'TCP route',
    tcpListener,
    sortedByPrecedence(listener.tcpRoutes),
    (route: TcpRoute, context) => compileTcpRoute(route, tcpListener, context),
  )
  const udp = yield* udpOf(listener, labels, pass)
  const credentials = [...traits.credentials, ...groupCredentials]
  const parts = { labels, frontend, tracing, stages, mcpMetadata, routes, tcpRoutes, udp, credentials }
  const inputs = [
    ...[pass.shared, listener, frontend, tracing, stages, mcpMetadata, groupCredentials],
    ...routes,
    ...tcpRoutes,
    udp,
  ]
  yield // the table of a large listener takes as long as a slice
  return derived.of('listener', labels, inputs, () => joined(listener, parts, pass))
}

const none: readonly never[] = []

/** One object for as long as no route changes: sessions are compared with it otherwise. */
function* udpOf(
  { udpRoutes }: Listener,
  labels: RouteLabels,
  pass: CompilePass,
): Generator<undefined, UdpTargets | undefined> {
  if (!udpRoutes) return undefined
  const compiled = yield* pass.parts(
    'UDP route',
    labels,
    sortedByPrecedence(udpRoutes),
    (route: UdpRoute, context) => compileUdpRoute(route, labels, context),
  )
  return pass.derived.of('UDP targets', labels, compiled, () => udpTargets(compiled))
}

/** One object for as long as the names stay the same: it is part of what routes are compiled from. */
const labelsOf = (bind: Bind, listener: Listener, { derived }: CompilePass): RouteLabels => {
  const gateway = `${listener.gatewayNamespace}/${listener.gatewayName}`
  const names = [bind.key, gateway, listener.listenerName]
  return derived.of('listener labels', `${bind.key} ${listener.key}`, names, () => ({
    bind: bind.key,
    gateway,
    listener: listener.listenerName,
    route: undefined,
    routeRule: undefined,
  }))
}

const joined = (
  listener: Listener,
  parts: ListenerParts,
  { shared, derived }: CompilePass,
): CompiledListener => {
  const { labels, frontend, tracing, stages, mcpMetadata, routes, tcpRoutes, udp, credentials } = parts
  const table = derived.of<RouteTable<PipedRoute>>('route table', labels, routes, (before) =>
    routeTable(routes, before),
  )
  return {
    resource: listener,
    labels,
    frontend,
    tracing,
    pipeline: listenerPipeline(
      insertStages(
        'listener',
        { redactCredentials: redactTracedCredentials(credentials), ...stages, mcpMetadata },
        shared.insertions,
      ),
      table,
      shared.rescuer,
      frontend.http.path.encodedSlashes,
    ),
    effective: {
      listenerFrontend: effectiveFrontend(frontend),
      gateway: effective('gateway', listener.policies),
    },
    tcpTarget: tcpTargets(tcpRoutes),
    udp,
  }
}
