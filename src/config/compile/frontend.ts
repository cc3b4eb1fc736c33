import type { FrontendPolicies, ListenerFrontend } from '../../model/resources/frontend-policies.ts'
import type { Bind, Listener } from '../../model/resources/resources.ts'
import type { RequestTracing } from '../../model/tracing/request-tracing.ts'
import type { Tracing } from '../../operators/otlp/schema.ts'
import { tracingStage } from '../../operators/otlp/stage.ts'
import type { CompileContext } from './compile-context.ts'
import type { CompilePass } from './compile-pass.ts'

/** The frontend policies of a port; those of the process, as the same object, if nothing is attached. */
export const frontendOfBind = (
  { key, frontend }: Bind,
  { shared, derived }: CompilePass,
): FrontendPolicies => {
  const { frontend: process } = shared.resources
  if (!frontend) return process
  return derived.of('frontend', key, [process, frontend], () => ({
    ...process,
    ...frontend,
    http: frontend.http ? { ...frontend.http, path: process.http.path } : process.http,
  }))
}

/** A listener of a port. */
export interface ListenerOfBind {
  readonly bind: Bind
  readonly listener: Listener
  /** The frontend policies of the port. */
  readonly frontend: FrontendPolicies
}

/** Those of a listener. Several gateways may share the port: their logs and traces are apart. */
export const frontendOfListener = (
  { bind, listener, frontend }: ListenerOfBind,
  { shared, derived }: CompilePass,
): FrontendPolicies => {
  const { frontend: process } = shared.resources
  const { accessLog = process.accessLog, tracing = process.tracing }: ListenerFrontend =
    listener.frontend ?? {}
  if (accessLog === frontend.accessLog && tracing === frontend.tracing) return frontend
  return derived.of('frontend', `${bind.key} ${listener.key}`, [frontend, accessLog, tracing], () =>
    withTelemetry(frontend, { accessLog, tracing }),
  )
}

/**
 * The frontend policies that stages read, for listeners with others than those of the process: not the access log, whose
 * change compiles nothing again.
 */
export const frontendOfStages = (
  { http, tracing }: FrontendPolicies,
  name: string,
  { shared, derived }: CompilePass,
): FrontendPolicies => {
  const { frontend: process } = shared.resources
  if (http === process.http && tracing === process.tracing) return process
  return derived.of('frontend of stages', name, [process, http, tracing], () =>
    withTelemetry({ ...process, http }, { accessLog: process.accessLog, tracing }),
  )
}

/** The context of stages behind a listener. */
export const withFrontend = (context: CompileContext, frontend: FrontendPolicies): CompileContext =>
  frontend === context.resources.frontend
    ? context
    : { ...context, resources: { ...context.resources, frontend } }

/** Begins spans by the policy `tracing`; undefined without one. */
export const compileTracing = (
  { tracing }: FrontendPolicies,
  pass: CompilePass,
): RequestTracing | undefined =>
  tracing && pass.parts('tracing', '', (policy: Tracing, context) => tracingStage(policy, context))(tracing)

/** What a policy replaces may have no counterpart: the field is absent then. */
const withTelemetry = (
  { accessLog: _, tracing: __, ...rest }: FrontendPolicies,
  { accessLog, tracing }: { [K in keyof ListenerFrontend]: ListenerFrontend[K] | undefined },
): FrontendPolicies => ({ ...rest, ...(accessLog && { accessLog }), ...(tracing && { tracing }) })
