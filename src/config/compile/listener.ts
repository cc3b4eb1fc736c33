import type { FrontendPolicies } from '../../model/resources/frontend-policies.ts'
import type { RequestTracing } from '../../model/tracing/request-tracing.ts'
import type { Bind, Listener, Route, TcpRoute } from '../../model/resources/resources.ts'
import type { CompiledListener, RouteLabels } from '../../model/resources/snapshot.ts'
import type { CredentialField } from '../../model/policies/credential-location.ts'
import { redactTracedCredentials } from '../../operators/credentials/redact-credentials.ts'
import { mcpDiscoveryStage } from '../../operators/mcp-authentication/stage.ts'
import type { PipedRoute } from '../../operators/route/route.ts'
import { type RouteTable, routeTable } from '../../operators/route/table.ts'
import type { Operator } from '../../pipeline/stage.ts'
import { type ListenerStages, listenerPipeline } from '../../gateway.ts'
import { insertStages } from '../../insert-stages.ts'
import type { GatewayPolicies } from '../../model/resources/policies.ts'
import { sortedByPrecedence } from '../resource-precedence.ts'
import type { CompilePass } from './compile-pass.ts'
import { credentialFields } from './credential-sources.ts'
import { effective, effectiveFrontend } from './effective-policies.ts'
import {
  compileTracing,
  frontendOfListener,
  frontendOfStages,
  type ListenerOfBind,
  withFrontend,
} from './frontend.ts'
import { listenerStages } from './listener-stages.ts'
import { compileListenerRoute } from './route.ts'
import { type CompiledTcpRoute, compileTcpRoute, tcpTargets } from './tcp-route.ts'

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
  readonly groupCredentials: readonly CredentialField[]
}

/**
 * Compiles a listener. Yields after each part. Each route is a part, so that a change of one compiles that one and the
 * table; a listener none of whose parts has changed is taken over whole.
 */
export function* compileListener(
  of: ListenerOfBind,
  groupCredentials: readonly CredentialField[],
  pass: CompilePass,
): Generator<undefined, CompiledListener> {
  const { bind, listener } = of
  const labels = labelsOf(bind, listener, pass)
  const frontend = frontendOfListener(of, pass)
  const tracing = compileTracing(frontend, pass)
  const read = frontendOfStages(frontend, `${bind.key} ${listener.key}`, pass)
  // One object for as long as nothing that stages read changes.
  const scope =
    read === pass.shared.resources.frontend
      ? labels
      : pass.derived.of('listener scope', labels, [labels, read], () => ({ labels, read }))
  const routePart = pass.parts('route', scope, (route: Route, context) =>
    compileListenerRoute(route, labels, withFrontend(context, read)),
  )
  const routes: PipedRoute[] = []
  for (const route of sortedByPrecedence(listener.routes)) {
    routes.push(routePart(route))
    yield
  }
  const stages = pass.parts('listener stages', scope, (policies: GatewayPolicies, context) =>
    listenerStages(policies, withFrontend(context, read)),
  )(listener.policies)
  const mcpMetadata = pass.parts('MCP metadata', scope, (routesOf: readonly Route[], context) =>
    mcpDiscoveryStage(routesOf, withFrontend(context, read)),
  )(listener.routes)
  yield
  const tcpRoutePart = pass.parts('TCP route', labels, (route: TcpRoute, context) =>
    compileTcpRoute(route, labels, context),
  )
  const tcpRoutes: CompiledTcpRoute[] = []
  for (const route of sortedByPrecedence(listener.tcpRoutes)) {
    tcpRoutes.push(tcpRoutePart(route))
    yield
  }
  const parts = { labels, frontend, tracing, stages, mcpMetadata, routes, tcpRoutes, groupCredentials }
  const inputs = [
    ...[pass.shared, listener, frontend, tracing, stages, mcpMetadata, groupCredentials],
    ...routes,
    ...tcpRoutes,
  ]
  return pass.derived.of('listener', labels, inputs, () => joined(listener, parts, pass))
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
  const { labels, frontend, tracing, stages, mcpMetadata, routes, tcpRoutes, groupCredentials } = parts
  const table = derived.of<RouteTable<PipedRoute>>('route table', labels, routes, (before) =>
    routeTable(routes, before),
  )
  const credentials = [...credentialFields(listener), ...groupCredentials]
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
  }
}
