import { match } from './match.ts'
import { resourcePrecedence } from './precedence.ts'
import type { Route, TcpRoute, UdpRoute, WeightedBackend } from '../../../model/resources/resources.ts'
import { defaults } from '../../../config/defaults.ts'
import { child } from '../../../config/document/json-pointer.ts'
import type * as File from '../../../config/schema/file-types.gen.ts'
import { backendPolicies } from '../../../config/normalize/policies.ts'
import { type Context, originOf } from '../../../config/normalize/context.ts'
import { definedFields, given } from '../../../config/normalize/optional-fields.ts'
import { hostnames } from '../../../streams/http/port/normalize/hostname.ts'
import { encodedSlashes } from '../../../streams/http/frontend/normalize/path-normalization.ts'
import { routePolicies } from '../../../config/normalize/policies.ts'
import { llmCredentials } from '../../llm/normalize/credentials.ts'
import { backendTarget } from '../../../config/normalize/backend-spec.ts'
import { tlsUpstream } from '../../../streams/http/tls/normalize.ts'
import { tunnel } from '../../../upstream/backend-tunnel/normalize.ts'

/** The owner and the location of a route. */
export interface RouteParent {
  /** Key of the listener or route group. */
  readonly owner: string
  readonly index: number
  readonly pointer: string
  /**
   * The gateways it names, unless it is written inside its owner: it is one route then, however many listeners serve
   * it.
   */
  readonly gateways?: readonly string[]
  /** Of a control plane: the name of the resource that the route is, in place of the names in it. */
  readonly resource?: string
}

/** An HTTP route of a listener or group; its inline backends go to the context. */
export function httpRoute(route: File.Route, parent: RouteParent, context: Context): Route {
  const name = route.name ?? `route${String(parent.index)}`
  const namespace = route.namespace ?? 'default'
  const keyWithin = (owner: string) =>
    parent.resource === undefined
      ? routeKey(owner, namespace, name, route.ruleName)
      : `${owner}/${parent.resource}`
  const key = keyWithin(parent.owner)
  const policies = routePolicies(
    route.policies,
    context,
    `route ${parent.resource ?? keyWithin(parent.gateways?.join() ?? parent.owner)}`,
  )
  return definedFields<Route>({
    key,
    name,
    namespace,
    ruleName: route.ruleName,
    kind: route.kind === 'GRPCRoute' ? 'GRPCRoute' : undefined,
    precedence: given(route.precedence, resourcePrecedence),
    hostnames: hostnames(route.hostnames),
    matches: (route.matches ?? [{}]).map((one) => match(one, context)),
    backends: (route.backends ?? []).map((backend, index) =>
      definedFields<WeightedBackend>({
        weight: backend.weight ?? defaults.weight,
        priority: backend.priority,
        target: backendTarget(
          backend,
          `${key}/backend${String(index)}`,
          context,
          backendPointer(parent, index),
        ),
        policies: backendPolicies(backend.policies, context),
      }),
    ),
    encodedSlashes: given(route.encodedSlashes, encodedSlashes),
    policies: usesModels(route) ? llmCredentials(policies, route) : policies,
    origin: originOf(context, parent.pointer),
  })
}

const backendPointer = ({ pointer }: RouteParent, index: number): string =>
  child(child(pointer, 'backends'), index)

/** Whether it has inline language model backends. */
const usesModels = ({ policies, backends }: File.Route): boolean =>
  policies?.ai !== undefined || (backends ?? []).some((backend) => 'ai' in backend)

/** What names a route of raw connections or datagrams, and orders it. */
const identityOf = (route: File.TcpRoute | File.UdpRoute, parent: RouteParent, kind: string) => {
  const name = route.name ?? `${kind}${String(parent.index)}`
  const namespace = route.namespace ?? 'default'
  const key =
    parent.resource === undefined
      ? routeKey(parent.owner, namespace, name, route.ruleName)
      : `${parent.owner}/${parent.resource}`
  return {
    key,
    name,
    namespace,
    ruleName: route.ruleName,
    precedence: given(route.precedence, resourcePrecedence),
  }
}

/** A TCP route of a listener; its inline backends go to the context. */
export function tcpRoute(route: File.TcpRoute, parent: RouteParent, context: Context): TcpRoute {
  const identity = identityOf(route, parent, 'tcproute')
  return definedFields<TcpRoute>({
    ...identity,
    hostnames: hostnames(route.hostnames),
    backends: (route.backends ?? []).map((backend, index) =>
      definedFields<TcpRoute['backends'][number]>({
        weight: backend.weight ?? defaults.weight,
        target: backendTarget(
          backend,
          `${identity.key}/backend${String(index)}`,
          context,
          backendPointer(parent, index),
        ),
        tls: given(backend.policies?.backendTLS ?? route.policies?.backendTLS, tlsUpstream),
        tunnel: given(backend.policies?.backendTunnel ?? route.policies?.backendTunnel, (policy) =>
          tunnel(policy, context),
        ),
      }),
    ),
    origin: originOf(context, parent.pointer),
  })
}

/** A UDP route of a listener; its inline backends go to the context. */
export function udpRoute(route: File.UdpRoute, parent: RouteParent, context: Context): UdpRoute {
  const identity = identityOf(route, parent, 'udproute')
  return definedFields<UdpRoute>({
    ...identity,
    backends: (route.backends ?? []).map((backend, index) => ({
      weight: backend.weight ?? defaults.weight,
      target: backendTarget(
        backend,
        `${identity.key}/backend${String(index)}`,
        context,
        backendPointer(parent, index),
      ),
    })),
    origin: originOf(context, parent.pointer),
  })
}

/** `{owner}/{namespace}/{name}`, and the name of the rule if there is one: several rules may share a name. */
function routeKey(owner: string, namespace: string, name: string, ruleName?: string): string {
  return `${owner}/${namespace}/${name}${ruleName === undefined ? '' : `/${ruleName}`}`
}
