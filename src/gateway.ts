/**
 * The order of the stages. Read from top to bottom: that is the order in which a request meets them, and its answer the
 * lower half. A stage that nobody configured is undefined and not there.
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

/** A policy has its stages under its name. */
export type PolicyStages = Readonly<
  Partial<
    Record<
      Exclude<keyof (GatewayPolicies & RoutePolicies & BackendPolicies), 'timeout'>,
      Partial<Phases> | undefined
    >
  >
>

/** What a whole listener does to its exchanges, before a route is known. */
export interface ListenerStages extends PolicyStages {
  readonly redactCredentials?: Operator | undefined
  /** There if other replicas can be asked. */
  readonly detectForwarded?: Operator | undefined
  readonly forwarded?: Operator | undefined
  readonly mcpMetadata?: Operator | undefined
}

/** What a route does to its exchanges. */
export interface RouteStages extends PolicyStages {
  readonly classifyCall?: Operator | undefined
  /** There if policies go by what an MCP client asks for. */
  readonly parseMcpMessage?: Operator | undefined
  readonly timeout?: ((inner: Operator) => Operator) | undefined
  /** Picks a backend and calls it, again if a retry policy says so. */
  readonly backend: Operator
}

/** What a backend does to the exchanges it answers. */
export interface BackendStages extends PolicyStages {
  /** As that of the route. */
  readonly parseMcpMessage?: Operator | undefined
  /** Puts credentials and what goes with them where a provider of language models wants them. */
  readonly providerHeaders?: Operator | undefined
  /** Goes around everything from `authenticate` to the call, and may do it twice. */
  readonly refreshCredentials?: ((inner: Operator) => Operator) | undefined
  readonly signature?: Operator | undefined
  /** Of a provider of language models: what it repeats of the gateway's credentials. */
  readonly redactCredentials?: Partial<Phases> | undefined
  readonly call: Operator
}

/** Turns faults into replies. */
export type Rescuer = (fault: unknown, x: Exchange) => Reply

/** Everything that happens to a request of a listener. */
export const listenerPipeline = (
  p: ListenerStages,
  routes: RouteTable<PipedRoute>,
  rescuer: Rescuer,
  encodedSlashes?: EncodedSlashes,
): Operator =>
  sequence([
    rescue(
      sequence([
        // Those who watch may be told of the request before the stages below have found its credentials.
        p.redactCredentials,
        // As it came is how another replica has to get it; how the client had asked that one counts for all below.
        p.detectForwarded,
        // Whose request it is must be settled before anybody decides by it.
        p.forwarded,
        // Who has no token yet asks here where to get one, whatever host or path the routes ask for.
        p.mcpMetadata,
        // Before any check of identity: preflights carry no credentials.
        p.cors?.request,
        ...identityStages(p),
        // Sees who is calling, and what is left of the request after the checks.
        p.extProc?.request,
        p.transformations?.request,
        // Last, so that what was decided above holds for requests without a route as well.
        route(routes, encodedSlashes),
      ]),
      rescuer,
    ),
    // Outside of the rescue: our own errors are answers like any other.
    p.transformations?.reply,
    p.extProc?.reply,
    ...identityReplies(p),
    // Last of all: a browser may read no answer without these headers, refusals included.
    p.cors?.reply,
  ])

/** Everything that happens to a request of a route. */
export const routePipeline = (p: RouteStages, rescuer: Rescuer): Operator => {
  const answered = sequence([
    // Before anybody may refuse: refusals name the call that they are about.
    p.classifyCall,
    // Preflights are answered whatever the policies below would say.
    p.cors?.request,
    ...identityStages(p, p.parseMcpMessage),
    // After the checks: whom nobody let in uses up nobody's share.
    p.localRateLimit?.request,
    p.remoteRateLimit?.request,
    // Expressions below may read the body.
    p.buffer?.request,
    p.extProc?.request,
    p.transformations?.request,
    // Looks at the request as it came, so before anything rewrites it.
    p.csrf?.request,
    p.requestHeaderModifier?.request,
    p.urlRewrite?.request,
    p.requestRedirect?.request,
    // What is mirrored is what is sent upstream, and only what gets that far.
    p.requestMirror?.request,
    p.delay?.request,
    p.directResponse?.request,
    p.backend,
  ])
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
  // The time-out lies inside the rescue, to be an answer, and around everything else, to cover a stalling body.
  const timed = p.timeout ? p.timeout(answered) : answered
  // Without reply stages of its own a route leaves its faults to the listener's rescue: one layer less.
  if (replies.every((stage) => stage === undefined)) return timed
  return sequence([rescue(timed, rescuer), ...replies])
}

/** Everything that happens to a request between the choice of a backend and its answer. */
export const backendPipeline = (p: BackendStages): Operator => {
  const called = [
    // Before the transformations, which may use or hide what it adds.
    p.backendAuth?.request,
    // Of what the credentials are, and before the configuration has its last word on headers.
    p.providerHeaders,
    p.transformations?.request,
    p.requestHeaderModifier?.request,
    p.requestRedirect?.request,
    p.a2a?.request,
    // Last: a signature covers the request as it is sent.
    p.signature,
    p.redactCredentials?.request,
    p.call,
    // Before anybody may show or log what the provider says.
    p.redactCredentials?.reply,
    // First of all: what follows changes the card that clients get.
    p.a2a?.reply,
  ]
  return sequence([
    p.parseMcpMessage,
    p.authorization?.request,
    p.extAuthz?.request,
    ...(p.refreshCredentials ? [p.refreshCredentials(sequence(called))] : called),
    p.responseHeaderModifier?.reply,
    p.transformations?.reply,
    p.backendAuth?.reply,
    p.extAuthz?.reply,
  ])
}

/** The order is that of cost and of need: a session is cheaper than a token, and rules need to know who is calling. */
const identityStages = (p: PolicyStages, understand?: Operator) => [
  p.oidc?.request,
  p.jwtAuth?.request,
  p.basicAuth?.request,
  p.apiKey?.request,
  // Of strangers nothing is read and kept in memory, and everything below may go by what a message says.
  understand,
  // Outside deciders see who is calling, and the rules see what they said.
  p.extAuthz?.request,
  p.authorization?.request,
]

const identityReplies = (p: PolicyStages) => [
  p.extAuthz?.reply,
  p.apiKey?.reply,
  p.basicAuth?.reply,
  p.jwtAuth?.reply,
  p.oidc?.reply,
]
