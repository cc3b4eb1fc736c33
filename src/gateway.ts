/**
 * The order of the stages. A pipeline reads from top to bottom: first what a request passes, then what its reply passes.
 * A policy that is not configured has no stage: it is undefined here, and `sequence` leaves it out.
 *
 * @module
 */
import type { Exchange } from './model/exchange/exchange.ts'
import type { BackendPolicies, GatewayPolicies, RoutePolicies } from './model/resources/policies.ts'
import type { EncodedSlashes } from './model/resources/frontend-policies.ts'
import type { Reply } from './model/exchange/reply.ts'
import type { Phases } from './operators/phases.ts'
import { route, type PipedRoute } from './operators/route/route.ts'
import type { RouteTable } from './operators/route/table.ts'
import { rescue } from './pipeline/rescue.ts'
import { sequence } from './pipeline/sequence.ts'
import type { Operator } from './pipeline/stage.ts'

/** The operators of each policy, under the name that the policy has in the configuration. */
export type PolicyStages = Readonly<
  Partial<
    Record<
      Exclude<keyof (GatewayPolicies & RoutePolicies & BackendPolicies), 'timeout'>,
      Partial<Phases> | undefined
    >
  >
>

/** The stages of a listener. They run before a route is known. */
export interface ListenerStages extends PolicyStages {
  readonly redactCredentials?: Operator | undefined
  /** Defined if other replicas can reach this process. */
  readonly detectForwarded?: Operator | undefined
  readonly forwarded?: Operator | undefined
  readonly mcpMetadata?: Operator | undefined
}

/** The stages of a route. */
export interface RouteStages extends PolicyStages {
  readonly classifyCall?: Operator | undefined
  /** Defined if a policy reads the attributes of MCP messages. */
  readonly parseMcpMessage?: Operator | undefined
  readonly timeout?: ((inner: Operator) => Operator) | undefined
  /** Picks a backend and calls it, several times if a policy retries. */
  readonly backend: Operator
}

/** The stages of a backend. */
export interface BackendStages extends PolicyStages {
  /** Defined if a policy of the backend reads the attributes of MCP messages. */
  readonly parseMcpMessage?: Operator | undefined
  /** Sets the headers that a model provider requires, or the one path that the backend serves. */
  readonly providerHeaders?: Operator | undefined
  /** Wraps the stages from `backendAuth` to the call, and chooses the endpoint of it. */
  readonly pickEndpoint?: ((inner: Operator) => Operator) | undefined
  /** Wraps the stages from `backendAuth` to the call, and runs them again if the backend rejects a token. */
  readonly refreshCredentials?: ((inner: Operator) => Operator) | undefined
  readonly signature?: Operator | undefined
  /** Masks the gateway's credentials in responses of model providers. */
  readonly redactCredentials?: Partial<Phases> | undefined
  readonly call: Operator
}

/** Turns faults into replies. */
export type Rescuer = (fault: unknown, x: Exchange) => Reply

/** The pipeline of a listener. */
export const listenerPipeline = (
  p: ListenerStages,
  routes: RouteTable<PipedRoute>,
  rescuer: Rescuer,
  encodedSlashes?: EncodedSlashes,
): Operator =>
  sequence([
    rescue(
      sequence([
        // First: the trace shows the request from here on, and must not show credentials.
        p.redactCredentials,
        // Before anything changes the request: another replica gets it unchanged.
        p.detectForwarded,
        // Before all policies: it sets the address of the client, which they may use.
        p.forwarded,
        // Before authentication and routing: clients without a token fetch the metadata, on any host and path.
        p.mcpMetadata,
        // Before authentication: preflight requests carry no credentials.
        p.cors?.request,
        ...identityStages(p),
        // After authentication: the service sees the caller, and only requests that were let in.
        p.extProc?.request,
        // After extProc: expressions can use what the service set.
        p.transformations?.request,
        // Last: the stages above also apply to requests without a route.
        route(routes, encodedSlashes),
      ]),
      rescuer,
    ),
    // Outside the rescue: local replies pass the reply stages like any other reply.
    p.transformations?.reply,
    p.extProc?.reply,
    ...identityReplies(p),
    // Last: browsers read no reply without the CORS headers, refusals included.
    p.cors?.reply,
  ])

/** The pipeline of a route. */
export const routePipeline = (p: RouteStages, rescuer: Rescuer): Operator => {
  const answered = sequence([
    // First: local replies of all later stages need the protocol and the id of the call.
    p.classifyCall,
    // Before authentication: preflight requests carry no credentials.
    p.cors?.request,
    ...identityStages(p, p.parseMcpMessage),
    // After authorization: refused requests use up no quota.
    p.localRateLimit?.request,
    // After the local limit, which costs no callout.
    p.remoteRateLimit?.request,
    // After the limits, so that refused requests are not buffered; before the expressions below, which may read the body.
    p.buffer?.request,
    // After authorization: the service sees only requests that were let in.
    p.extProc?.request,
    // After extProc: expressions can use what the service set.
    p.transformations?.request,
    // Before the configured header changes: it reads `Origin` and `Sec-Fetch-Site` as browsers send them.
    p.csrf?.request,
    // After the transformations: fixed values override computed ones.
    p.requestHeaderModifier?.request,
    // After the headers: the rewritten authority overrides a header `host`.
    p.urlRewrite?.request,
    // A reply: nothing below runs for redirected requests.
    p.requestRedirect?.request,
    // After the changes of the route: the copy is what its backends get. Refused requests are not copied.
    p.requestMirror?.request,
    // After all refusals: only requests that pass are delayed.
    p.delay?.request,
    // In place of the backend.
    p.directResponse?.request,
    p.backend,
  ])
  // The reverse order of the requests, so that the outermost policy sees the reply as the client gets it.
  const replies = [
    p.responseHeaderModifier?.reply,
    p.buffer?.reply,
    p.transformations?.reply,
    p.extProc?.reply,
    p.remoteRateLimit?.reply,
    p.localRateLimit?.reply,
    ...identityReplies(p),
    p.cors?.reply,
  ]
  // Inside the rescue, so that a timeout becomes a reply; around all stages, so that it covers slow bodies too.
  const timed = p.timeout ? p.timeout(answered) : answered
  // A route without reply stages leaves its faults to the rescue of the listener: one layer less.
  if (replies.every((stage) => stage === undefined)) return timed
  return sequence([rescue(timed, rescuer), ...replies])
}

/** The pipeline of a backend. */
export const backendPipeline = (p: BackendStages): Operator => {
  const called = [
    // Before the transformations, which may read or remove the credentials.
    p.backendAuth?.request,
    // After the credentials, which it moves; before the configured changes of headers, which win.
    p.providerHeaders,
    p.transformations?.request,
    // After the transformations: fixed values override computed ones.
    p.requestHeaderModifier?.request,
    // In place of the call.
    p.requestRedirect?.request,
    // After the configured header changes: it needs an agent card without compression.
    p.a2a?.request,
    // Last: a signature covers the request as it is sent.
    p.signature,
    // Directly around the call: it reads the credentials that are sent.
    p.redactCredentials?.request,
    p.call,
    // First: nothing below may show or log a credential that the provider repeats.
    p.redactCredentials?.reply,
    // Before the configured changes: they apply to the card that clients get.
    p.a2a?.reply,
  ]
  const authenticated = p.refreshCredentials ? [p.refreshCredentials(sequence(called))] : called
  return sequence([
    // Before all policies of the backend, which may read the attributes of the message.
    p.parseMcpMessage,
    // Before extAuthz: rules cost no callout.
    p.authorization?.request,
    // Before the credentials are there: the service must not see them.
    p.extAuthz?.request,
    // Before the credentials of the backend, which are not for others. Refused requests are not copied.
    p.requestMirror?.request,
    // Before the credentials of the backend, which the picker must not see; once for both of their attempts.
    ...(p.pickEndpoint ? [p.pickEndpoint(sequence(authenticated))] : authenticated),
    p.responseHeaderModifier?.reply,
    p.transformations?.reply,
    p.backendAuth?.reply,
    p.extAuthz?.reply,
  ])
}

/** From the cheapest check to the dearest, and authentication before authorization. */
const identityStages = (p: PolicyStages, parseMcpMessage?: Operator) => [
  // A session cookie gives the identity without a token.
  p.oidc?.request,
  p.jwtAuth?.request,
  p.basicAuth?.request,
  p.apiKey?.request,
  // After authentication: only bodies of known callers are buffered. The policies below may read the message.
  parseMcpMessage,
  // After authentication: the service sees the caller.
  p.extAuthz?.request,
  // After extAuthz: rules can use what the service set.
  p.authorization?.request,
]

/** The reverse order of the requests. */
const identityReplies = (p: PolicyStages) => [
  p.extAuthz?.reply,
  p.apiKey?.reply,
  p.basicAuth?.reply,
  p.jwtAuth?.reply,
  p.oidc?.reply,
]
