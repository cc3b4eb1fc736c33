import { functionsOf } from '../../cel/custom/functions-of.ts'
import type { FrontendPolicies } from '../../model/resources/frontend-policies.ts'
import type { Bind } from '../../model/resources/resources.ts'
import type { CompiledBind, CompiledListener, ConnectionRules } from '../../model/resources/snapshot.ts'
import { deny } from '../../model/exchange/reply.ts'
import { onRequest } from '../../pipeline/stage.ts'
import type { CompilePass } from './compile-pass.ts'
import { frontendOfBind } from './frontend.ts'
import { compileListener, type ListenerScope } from './listener.ts'
import { connectionRules } from './network-authorization.ts'

/** What all binds have in common. */
export interface BindScope extends ListenerScope {
  /** Which connections are accepted, if nothing else is attached. */
  readonly connections: ConnectionRules | undefined
}

/** Compiles a bind: its listeners by host name, each with its pipeline. Yields after each part. */
export function* compileBind(
  bind: Bind,
  scope: BindScope,
  pass: CompilePass,
): Generator<undefined, CompiledBind> {
  const frontend = frontendOfBind(bind, pass)
  const connections = connectionsOf(bind, scope, pass)
  const tracing = frontend.tracing && scope.tracing.get(frontend.tracing)
  const listeners: CompiledListener[] = []
  for (const listener of bind.listeners) {
    listeners.push(yield* compileListener({ bind, listener, frontend }, scope, pass))
    yield
  }
  return pass.derived.of(
    'bind',
    bind.key,
    [pass.shared, bind, frontend, tracing, connections, ...listeners],
    () => ({
      resource: bind,
      frontend: readingOf(bind, frontend, scope.traits),
      tracing,
      connections,
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
    }),
  )
}

const connectionsOf = (
  { key, frontend }: Bind,
  { connections }: BindScope,
  { shared, derived }: CompilePass,
): ConnectionRules | undefined => {
  const attached = frontend?.networkAuthorization
  if (!attached) return connections
  return derived.of('connection rules', key, [shared, attached], () =>
    connectionRules(attached, functionsOf(shared.resources.functions)),
  )
}

/** Paths are normalized before a route is selected: what one route of a port keeps, the port must accept. */
const readingOf = (
  { listeners }: Bind,
  frontend: FrontendPolicies,
  traits: BindScope['traits'],
): FrontendPolicies => {
  const { http } = frontend
  return listeners.some((listener) => traits(listener).keepsSlashes)
    ? { ...frontend, http: { ...http, path: { ...http.path, encodedSlashes: 'keep' } } }
    : frontend
}
