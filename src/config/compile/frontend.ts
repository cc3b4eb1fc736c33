import type { FrontendPolicies, ListenerFrontend } from '../../model/resources/frontend-policies.ts'
import type { Bind, Listener, Resources } from '../../model/resources/resources.ts'
import type { RouteLabels } from '../../model/resources/snapshot.ts'
import type { RequestTracing } from '../../model/tracing/request-tracing.ts'
import type { Tracing } from '../../operators/otlp/schema.ts'
import { type FrontendAttachment, tracingStage } from '../../operators/otlp/stage.ts'
import type { Derived } from '../derived.ts'
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
  const {
    accessLog = process.accessLog,
    tracing = process.tracing,
    metrics = process.metrics,
  }: ListenerFrontend = listener.frontend ?? {}
  if (accessLog === frontend.accessLog && tracing === frontend.tracing && metrics === frontend.metrics)
    return frontend
  return derived.of('frontend', `${bind.key} ${listener.key}`, [frontend, accessLog, tracing, metrics], () =>
    withTelemetry(frontend, { accessLog, tracing, metrics }),
  )
}

/**
 * What the parts behind a listener are compiled for: its labels, or a scope of its own if stages read other policies than
 * those of the process. The access log is not among them: its change compiles nothing again.
 *
 * @returns One object for as long as nothing changes, and the context that has what stages read.
 */
export const scopeOfStages = (
  { http, tracing }: FrontendPolicies,
  labels: RouteLabels,
  { shared, derived }: CompilePass,
): readonly [scope: object, within: (context: CompileContext) => CompileContext] => {
  const { frontend: process } = shared.resources
  if (http === process.http && tracing === process.tracing) return [labels, (context) => context]
  const scope = derived.of('listener scope', labels, [labels, process, http, tracing], () => ({
    frontend: withTelemetry({ ...process, http }, { ...process, tracing }),
  }))
  return [scope, (context) => ({ ...context, resources: { ...context.resources, ...scope } })]
}

/** The frontend policies that are attached to something. */
export const attachedFrontends = ({ policies }: Resources, derived: Derived): readonly FrontendAttachment[] =>
  derived.of('attached frontends', '', [policies], () =>
    policies.flatMap(({ namespace, name, target, frontend }) =>
      // One policy may be attached to several targets.
      frontend ? [{ key: `${namespace}/${name} ${JSON.stringify(target)}`, frontend }] : [],
    ),
  )

/** Begins spans by the policies `tracing` of the process and of attached ones. */
export function* compileTracing(
  attached: readonly FrontendAttachment[],
  pass: CompilePass,
): Generator<undefined, ReadonlyMap<Tracing, RequestTracing>> {
  const all = [pass.shared.resources.frontend, ...attached.map(({ frontend }) => frontend)]
  const policies = [...new Set(all.flatMap(({ tracing }) => tracing ?? []))]
  const compiled = yield* pass.parts('tracing', '', policies, tracingStage)
  return new Map(policies.flatMap((policy, i) => (compiled[i] ? [[policy, compiled[i]] as const] : [])))
}

/** What a policy replaces may have no counterpart: the field is absent then. */
const withTelemetry = (
  { accessLog: _, tracing: __, metrics: ___, ...rest }: FrontendPolicies,
  { accessLog, tracing, metrics }: { [K in keyof ListenerFrontend]?: ListenerFrontend[K] | undefined },
): FrontendPolicies => ({
  ...rest,
  ...(accessLog && { accessLog }),
  ...(tracing && { tracing }),
  ...(metrics && { metrics }),
})
