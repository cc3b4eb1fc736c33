import { functionsOf } from '../../cel/custom/functions-of.ts'
import type { FrontendPolicies } from '../../model/resources/frontend-policies.ts'
import type { Bind, Listener, Resources } from '../../model/resources/resources.ts'
import type { CompiledBind, CompiledListener, RouteLabels } from '../../model/resources/snapshot.ts'
import { deny } from '../../model/exchange/reply.ts'
import { redactTracedCredentials } from '../../operators/credentials/redact-credentials.ts'
import { routeTable } from '../../operators/route/table.ts'
import { onRequest } from '../../pipeline/stage.ts'
import { listenerPipeline } from '../../gateway.ts'
import { insertStages } from '../../insert-stages.ts'
import { credentialSources } from './credential-sources.ts'
import { connectionRules } from './network-authorization.ts'
import { effective, effectiveFrontend } from './effective-policies.ts'
import { listenerStages } from './listener-stages.ts'
import { mcpDiscoveryStage } from '../../operators/mcp-authentication/stage.ts'
import { compileRoutes } from './route.ts'
import { tcpTargets } from './tcp-route.ts'
import type { CompileContext } from './compile-context.ts'

/** Compiles a bind: its listeners by host name, each with its pipeline. */
export const compileBind = (bind: Bind, resources: Resources, context: CompileContext): CompiledBind => {
  const listeners = bind.listeners.map((listener) => compileListener(bind, listener, resources, context))
  return {
    resource: bind,
    frontend: readingOf(bind, resources.frontend),
    connections: connectionRules(resources.frontend.networkAuthorization, functionsOf(resources.functions)),
    listeners,
    labels: {
      bind: bind.key,
      gateway: undefined,
      listener: undefined,
      route: undefined,
      routeRule: undefined,
    },
    unmatched: onRequest('listener', () =>
      deny(404, 'listener_not_found', { message: 'listener not found' }),
    ),
  }
}

/** Paths are normalized before a route is selected: what one route of a port keeps, the port must accept. */
const readingOf = ({ listeners }: Bind, frontend: FrontendPolicies): FrontendPolicies => {
  const { http } = frontend
  return listeners.some(({ routes }) => routes.some(({ encodedSlashes }) => encodedSlashes === 'keep'))
    ? { ...frontend, http: { ...http, path: { ...http.path, encodedSlashes: 'keep' } } }
    : frontend
}

const compileListener = (
  bind: Bind,
  listener: Listener,
  resources: Resources,
  context: CompileContext,
): CompiledListener => {
  const labels: RouteLabels = {
    bind: bind.key,
    gateway: `${listener.gatewayNamespace}/${listener.gatewayName}`,
    listener: listener.listenerName,
    route: undefined,
    routeRule: undefined,
  }
  const routes = routeTable(compileRoutes(listener.routes, labels, resources, context))
  return {
    resource: listener,
    labels,
    pipeline: listenerPipeline(
      insertStages(
        'listener',
        {
          redactCredentials: redactTracedCredentials(credentialSources(listener, resources)),
          ...listenerStages(listener.policies, resources.frontend, context),
          mcpMetadata: mcpDiscoveryStage(listener.routes, resources, context),
        },
        context.insertions,
      ),
      routes,
      context.rescuer,
      resources.frontend.http.path.encodedSlashes,
    ),
    effective: {
      listenerFrontend: effectiveFrontend(resources.frontend),
      gateway: effective('gateway', listener.policies),
    },
    tcpTarget: tcpTargets(listener.tcpRoutes, labels, resources, context.random),
  }
}
