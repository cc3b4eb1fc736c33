/**
 * The order of the stages. Read from top to bottom: that is the order in which a request meets them, and its answer the
 * lower half. A stage that nobody configured is undefined and not there.
 *
 * @module
 */
import type { Exchange } from './model/exchange.ts'
import type { Reply } from './model/reply.ts'
import { route, type PipedRoute } from './operators/route/route.ts'
import type { RouteTable } from './operators/route/table.ts'
import { rescue } from './pipeline/rescue.ts'
import { sequence } from './pipeline/sequence.ts'
import type { Operator } from './pipeline/stage.ts'

/** A policy that acts on the way in, on the way out, or both. */
export interface Sides {
  readonly request?: Operator | undefined
  readonly reply?: Operator | undefined
}

/** What a whole listener does to its exchanges, before a route is known. */
export interface ListenerStages extends IdentityStages {
  readonly conceal?: Operator | undefined
  /** There if other replicas can be asked. */
  readonly noticeHop?: Operator | undefined
  readonly forwarded?: Operator | undefined
  readonly discover?: Operator | undefined
  readonly cors?: Sides | undefined
  readonly processExternally?: Sides | undefined
  readonly transform?: Sides | undefined
}

/** Who is calling, and whether they may: of a listener or of a route. */
export interface IdentityStages {
  readonly oidc?: Sides | undefined
  readonly jwt?: Sides | undefined
  readonly basicAuth?: Sides | undefined
  readonly apiKey?: Sides | undefined
  readonly authorizeExternally?: Sides | undefined
  readonly authorize?: Operator | undefined
}

/** What a route does to its exchanges. */
export interface RouteStages extends IdentityStages {
  readonly hearCall?: Operator | undefined
  /** There if policies go by what an MCP client asks for. */
  readonly understand?: Operator | undefined
  readonly timeOut?: ((inner: Operator) => Operator) | undefined
  readonly cors?: Sides | undefined
  readonly limitRate?: Sides | undefined
  readonly limitRateRemotely?: Sides | undefined
  readonly buffer?: Sides | undefined
  readonly processExternally?: Sides | undefined
  readonly transform?: Sides | undefined
  readonly csrf?: Operator | undefined
  readonly modifyRequestHeaders?: Operator | undefined
  readonly modifyResponseHeaders?: Operator | undefined
  readonly rewrite?: Operator | undefined
  readonly redirect?: Operator | undefined
  readonly mirror?: Operator | undefined
  readonly delay?: Operator | undefined
  readonly answerDirectly?: Operator | undefined
  /** Picks a backend and calls it, again if a retry policy says so. */
  readonly backend: Operator
}

/** What a backend does to the exchanges it answers. */
export interface BackendStages {
  /** As that of the route. */
  readonly understand?: Operator | undefined
  readonly authorize?: Operator | undefined
  readonly authorizeExternally?: Sides | undefined
  readonly authenticate?: Sides | undefined
  /** Puts credentials and what goes with them where a provider of language models wants them. */
  readonly finishHeaders?: Operator | undefined
  /** Goes around everything from `authenticate` to the call, and may do it twice. */
  readonly renew?: ((inner: Operator) => Operator) | undefined
  readonly transform?: Sides | undefined
  readonly modifyRequestHeaders?: Operator | undefined
  readonly modifyResponseHeaders?: Operator | undefined
  readonly redirect?: Operator | undefined
  readonly a2a?: Sides | undefined
  readonly sign?: Operator | undefined
  readonly call: Operator
}

/** Turns faults into replies. */
export type Rescuer = (fault: unknown, x: Exchange) => Reply

/** Everything that happens to a request of a listener. */
export const listenerPipeline = (
  p: ListenerStages,
  routes: RouteTable<PipedRoute>,
  rescuer: Rescuer,
): Operator =>
  sequence([
    rescue(
      sequence([
        // Those who watch may be told of the request before the stages below have found its credentials.
        p.conceal,
        // As it came is how another replica has to get it; how the client had asked that one counts for all below.
        p.noticeHop,
        // Whose request it is must be settled before anybody decides by it.
        p.forwarded,
        // Who has no token yet asks here where to get one, whatever host or path the routes ask for.
        p.discover,
        // Before any check of identity: preflights carry no credentials.
        p.cors?.request,
        ...identityStages(p),
        // Sees who is calling, and what is left of the request after the checks.
        p.processExternally?.request,
        p.transform?.request,
        // Last, so that what was decided above holds for requests without a route as well.
        route(routes),
      ]),
      rescuer,
    ),
    // Outside of the rescue: our own errors are answers like any other.
    p.transform?.reply,
    p.processExternally?.reply,
    ...identityReplies(p),
    // Last of all: a browser may read no answer without these headers, refusals included.
    p.cors?.reply,
  ])

/** Everything that happens to a request of a route. */
export const routePipeline = (p: RouteStages, rescuer: Rescuer): Operator => {
  const answered = sequence([
    // Before anybody may refuse: refusals name the call that they are about.
    p.hearCall,
    // Preflights are answered whatever the policies below would say.
    p.cors?.request,
    ...identityStages(p, p.understand),
    // After the checks: whom nobody let in uses up nobody's share.
    p.limitRate?.request,
    p.limitRateRemotely?.request,
    // Expressions below may read the body.
    p.buffer?.request,
    p.processExternally?.request,
    p.transform?.request,
    // Looks at the request as it came, so before anything rewrites it.
    p.csrf,
    p.modifyRequestHeaders,
    p.rewrite,
    p.redirect,
    // What is mirrored is what is sent upstream, and only what gets that far.
    p.mirror,
    p.delay,
    p.answerDirectly,
    p.backend,
  ])
  const replies = [
    p.modifyResponseHeaders,
    p.buffer?.reply,
    p.transform?.reply,
    p.processExternally?.reply,
    p.limitRateRemotely?.reply,
    p.limitRate?.reply,
    ...identityReplies(p),
    p.cors?.reply,
  ]
  // The time-out lies inside the rescue, to be an answer, and around everything else, to cover a stalling body.
  const timed = p.timeOut ? p.timeOut(answered) : answered
  // Without reply stages of its own a route leaves its faults to the listener's rescue: one layer less.
  if (replies.every((stage) => stage === undefined)) return timed
  return sequence([rescue(timed, rescuer), ...replies])
}

/** Everything that happens to a request between the choice of a backend and its answer. */
export const backendPipeline = (p: BackendStages): Operator => {
  const called = [
    // Before the transformations, which may use or hide what it adds.
    p.authenticate?.request,
    // Of what the credentials are, and before the configuration has its last word on headers.
    p.finishHeaders,
    p.transform?.request,
    p.modifyRequestHeaders,
    p.redirect,
    p.a2a?.request,
    // Last: a signature covers the request as it is sent.
    p.sign,
    p.call,
    // First of all: what follows changes the card that clients get.
    p.a2a?.reply,
  ]
  return sequence([
    p.understand,
    p.authorize,
    p.authorizeExternally?.request,
    ...(p.renew ? [p.renew(sequence(called))] : called),
    p.modifyResponseHeaders,
    p.transform?.reply,
    p.authenticate?.reply,
    p.authorizeExternally?.reply,
  ])
}

/** The order is that of cost and of need: a session is cheaper than a token, and rules need to know who is calling. */
const identityStages = (p: IdentityStages, understand?: Operator) => [
  p.oidc?.request,
  p.jwt?.request,
  p.basicAuth?.request,
  p.apiKey?.request,
  // Of strangers nothing is read and kept in memory, and everything below may go by what a message says.
  understand,
  // Outside deciders see who is calling, and the rules see what they said.
  p.authorizeExternally?.request,
  p.authorize,
]

const identityReplies = (p: IdentityStages) => [
  p.authorizeExternally?.reply,
  p.apiKey?.reply,
  p.basicAuth?.reply,
  p.jwt?.reply,
  p.oidc?.reply,
]
