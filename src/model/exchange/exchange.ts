import { DownstreamState } from './downstream-state.ts'
import type { ExchangeActivity } from '../introspection/exchange-activity.ts'
import type { Hop } from './replica-hop.ts'
import { anonymous, type Identity } from './identity.ts'
import { PolicyState } from './policy-state.ts'
import { ProtocolAttributes } from './protocol-attributes.ts'
import type { Probe, TraceSource } from '../trace/probe.ts'
import type { Reply } from './reply.ts'
import type { Request } from './request.ts'
import type { FrontendPolicies } from '../resources/frontend-policies.ts'
import type { Match } from '../resources/resources.ts'
import type { RouteLabels, Snapshot } from '../resources/snapshot.ts'
import type { SpanScope } from '../tracing/span-scope.ts'
import { UpstreamAttempts } from './upstream-attempts.ts'

const none: readonly never[] = []

/** One request on its way through the gateway, and its reply. */
export class Exchange {
  readonly request: Request
  /** Set by the stage or the backend that replies. */
  reply: Reply | undefined = undefined
  /** The configuration in force when the request was admitted; it never changes. */
  readonly snapshot: Snapshot
  /** The frontend policies of its listener, or of the port if it has none. */
  readonly frontend: FrontendPolicies
  /** Present only if a trace subscriber existed when the request was admitted. */
  readonly probe: Probe | undefined
  /** The spans of the request, and the one that its calls belong to; undefined unless it is sampled. */
  span: SpanScope | undefined = undefined
  /** Bind and listener at first, also the route once it is known. */
  labels: RouteLabels
  /** The matcher of the route that matched: prefix rewrites and span names use it. */
  match: Match | undefined = undefined
  /** The route groups that it was delegated to, outermost first. */
  routeGroups: readonly string[] = none
  /** The caller, as far as policies have authenticated it. */
  identity: Identity = anonymous
  /** The calls to upstreams. */
  readonly upstream = new UpstreamAttempts()
  /** The reply on its way to the client. */
  readonly downstream = new DownstreamState()
  /** Attributes of A2A, LLM and MCP requests. */
  readonly protocol = new ProtocolAttributes()
  /** What policies record. */
  readonly policy = new PolicyState()
  /** The request as received, for forwarding to another replica; undefined unless replicas can reach this one. */
  hop: Hop | undefined = undefined
  /** What it waits for; undefined until a stage does not decide at once. */
  activity: ExchangeActivity<Exchange> | undefined = undefined
  /** Processing continues without the client's connection: the client may resume it on another one. */
  outlivesConnection = false
  #abort: AbortController | undefined = undefined
  #left = false

  constructor(
    request: Request,
    snapshot: Snapshot,
    trace: TraceSource,
    labels: RouteLabels,
    frontend: FrontendPolicies = snapshot.resources.frontend,
  ) {
    this.request = request
    this.snapshot = snapshot
    this.frontend = frontend
    this.labels = labels
    this.probe = trace.probe(this)
  }

  /** Aborts if the client disconnects before the end. Created when a stage first reads it. */
  get signal(): AbortSignal {
    this.#abort ??= new AbortController()
    if (this.#left) this.#abort.abort()
    return this.#abort.signal
  }

  /** Called when the client has disconnected. */
  cancel(): void {
    if (this.outlivesConnection) return
    this.#left = true
    this.#abort?.abort()
  }
}
