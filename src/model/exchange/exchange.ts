import type { A2aAttributes } from './a2a-attributes.ts'
import type { Hop } from './replica-hop.ts'
import { anonymous, type Identity } from './identity.ts'
import type { LlmCall } from '../llm/llm-call.ts'
import type { McpAttributes } from '../mcp/mcp-attributes.ts'
import type { Probe, TraceSource } from '../trace/probe.ts'
import type { Quota } from './rate-limit-quota.ts'
import type { Reply } from './reply.ts'
import type { Request } from './request.ts'
import type { Match } from '../resources/resources.ts'
import type { BackendLabels, RouteLabels, Snapshot } from '../resources/snapshot.ts'
import type { TokenQuota } from './token-limit.ts'
import type { LocalReplyFormat } from './local-reply-format.ts'

/**
 * Takes what is said to the client before its answer. An object, not a function: with a closure stored in each exchange,
 * V8 kept exchanges alive until the next major collection, which cost 11 µs a request.
 */
export interface Interim {
  /** False if the client is behind with reading: `resume` is called when it is not any more. */
  inform(status: number, headers: readonly string[], resume: () => void): boolean
}

/** One request on its way through the gateway, and the answer it leaves with. */
export class Exchange {
  readonly request: Request
  /** The configuration it was admitted under, for life. */
  readonly snapshot: Snapshot
  /** Present only if somebody watched when it arrived. */
  readonly probe: Probe | undefined
  /** Set once answered, by a stage or by a backend. */
  reply: Reply | undefined = undefined
  /** The head is on the wire: too late for another reply. */
  committed = false
  /** `performance.now()` when the head went out; 0 before. */
  committedAt = 0
  /** Bind and listener at first, the route too once it is known. */
  labels: RouteLabels
  /** The matcher of the route that fitted: prefix rewrites and span names need it. */
  match: Match | undefined = undefined
  /** The backend chosen last. */
  backend: BackendLabels | undefined = undefined
  /** Address of the upstream called last, `host:port`. */
  endpoint: string | undefined = undefined
  /** Address of the one upstream endpoint that knows what the request is about; others are called only if it is gone. */
  boundTo: string | undefined = undefined
  /** Calls made upstream so far. */
  attempts = 0
  /** Backends and endpoints that were chosen for it, where there were several, in that order: a retry goes to others. */
  tried: readonly object[] | undefined = undefined
  /** The time for the call under way is over. */
  expired = false
  /** `performance.now()` when the first upstream call began; 0 before. */
  upstreamFirstStartedAt = 0
  /**
   * `performance.now()` when the last upstream call began, and when its head came, or more of the answer where that had
   * to be waited for; 0 before.
   */
  upstreamStartedAt = 0
  upstreamRepliedAt = 0
  /** `performance.now()` after the last byte; 0 before. */
  endedAt = 0
  /** Body bytes sent to the client. */
  sentBytes = 0
  /** What went wrong after the head was on the wire. */
  cutShort: string | undefined = undefined
  /** Takes 1xx answers for the client, where its protocol has them; set by the sink. */
  interim: Interim | undefined = undefined
  /** Who is calling, as far as policies have proved it. */
  identity: Identity = anonymous
  /** Values that transformations leave for later expressions. */
  metadata: Record<string, unknown> | undefined = undefined
  /** What external authorization said of the request. */
  extauthz: Record<string, unknown> | undefined = undefined
  /** What external processing said of the exchange. */
  extproc: Record<string, unknown> | undefined = undefined
  /** How it is told of errors, where the request says more than its content type. */
  localReplyFormat: LocalReplyFormat | undefined = undefined
  /** What is known of a call to an A2A agent. */
  a2a: A2aAttributes | undefined = undefined
  /** What is known of an MCP request: its method, what it is about, and how it ended. */
  mcp: McpAttributes | undefined = undefined
  /** What is asked of a language model, and what became of it. */
  llm: LlmCall | undefined = undefined
  /** What services that looked at MCP messages said of them. */
  mcpGuardrails: Record<string, unknown> | undefined = undefined
  /** Credentials that the gateway put into the request itself, in each of their spellings: logs and traces hide them. */
  concealed: readonly string[] | undefined = undefined
  /** What is left of the limits it counted against: of the one that leaves least. */
  quota: Quota | undefined = undefined
  /** Limits that the tokens of a language model count against, if there are any. */
  tokenQuota: TokenQuota | undefined = undefined
  /** Where it stands between replicas, if this one can be reached by others. */
  hop: Hop | undefined = undefined
  /** What it has begun goes on without its connection: the client may come back for it on another one. */
  outlivesConnection = false
  #abort: AbortController | undefined = undefined
  #left = false

  constructor(request: Request, snapshot: Snapshot, trace: TraceSource, labels: RouteLabels) {
    this.request = request
    this.snapshot = snapshot
    this.labels = labels
    this.probe = trace.probe(this)
  }

  /** Aborts if the client leaves early, for good. Costs nothing until a stage reads it. */
  get signal(): AbortSignal {
    this.#abort ??= new AbortController()
    if (this.#left) this.#abort.abort()
    return this.#abort.signal
  }

  /** Hides a text from whoever is shown this exchange. Texts of less than six characters are no secrets. */
  conceal(secret: string): void {
    if (secret.length < 6) return
    const encoded = encodeURIComponent(secret)
    this.concealed = [...(this.concealed ?? []), secret, ...(encoded === secret ? [] : [encoded])]
  }

  /** The client has left. */
  cancel(): void {
    if (this.outlivesConnection) return
    this.#left = true
    this.#abort?.abort()
  }
}
