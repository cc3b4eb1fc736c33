import { functionsOf } from '../../cel/custom/functions-of.ts'
import type { Bind, Listener, Resources } from '../../model/resources.ts'
import type { CompiledBind, CompiledListener, RouteLabels } from '../../model/snapshot.ts'
import { deny } from '../../model/reply.ts'
import { concealFromWatchers } from '../../operators/auth/conceal-from-watchers.ts'
import { routeTable } from '../../operators/route/table.ts'
import { onRequest } from '../../pipeline/stage.ts'
import { listenerPipeline } from '../../gateway.ts'
import { credentialPlaces } from './credential-places.ts'
import { connectionRules } from './connection-rules.ts'
import { effective, effectiveFrontend } from './effective.ts'
import { listenerStages } from './listener-stages.ts'
import { mcpDiscoveryStage } from './mcp-authentication.ts'
import { compileRoutes } from './route.ts'
import { tcpTargets } from './tcp.ts'
import type { Workshop } from './workshop.ts'

/** Makes a bind ready to serve: its listeners by host name, each with its pipeline. */
export const compileBind = (bind: Bind, resources: Resources, workshop: Workshop): CompiledBind => {
  const listeners = bind.listeners.map((listener) => compileListener(bind, listener, resources, workshop))
  return {
    resource: bind,
    frontend: resources.frontend,
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

const compileListener = (
  bind: Bind,
  listener: Listener,
  resources: Resources,
  workshop: Workshop,
): CompiledListener => {
  const labels: RouteLabels = {
    bind: bind.key,
    gateway: `${listener.gatewayNamespace}/${listener.gatewayName}`,
    listener: listener.listenerName,
    route: undefined,
    routeRule: undefined,
  }
  const routes = routeTable(compileRoutes(listener.routes, labels, resources, workshop))
  return {
    resource: listener,
    labels,
    pipeline: listenerPipeline(
      {
        conceal: concealFromWatchers(credentialPlaces(listener, resources)),
        ...listenerStages(listener.policies, resources.frontend, workshop),
        discover: mcpDiscoveryStage(listener.routes, resources, workshop),
      },
      routes,
      workshop.rescuer,
    ),
    effective: {
      listenerFrontend: effectiveFrontend(resources.frontend),
      gateway: effective('gateway', listener.policies),
    },
    tcpTarget: tcpTargets(listener.tcpRoutes, labels, resources, workshop.random),
  }
}
