import type { RuleResult } from '../../model/trace/trace-event.ts'

/** Where something is written in the configuration. */
export interface Written {
  /** `gateway`, `listener`, `route`, `backend`, `attached policy`, `llm` or `mcp`. */
  readonly level: string
  readonly path: string
  readonly line: number
  readonly column: number
}

/** What a gateway with a configuration does with a request, and why. */
export interface Explanation {
  readonly file: string
  readonly request: ExplainedRequest
  /** The listening socket, such as `bind/3000`. */
  readonly bind: string
  readonly listener: ExplainedListener | undefined
  readonly otherListeners: readonly NotChosen[]
  /** The route, after those that delegated to its route group. Empty if none matched. */
  readonly routes: readonly ExplainedRoute[]
  readonly otherRoutes: readonly NotChosen[]
  /** In the order in which they run. */
  readonly policies: readonly ExplainedPolicy[]
  readonly rules: readonly RuleResult[]
  readonly backends: readonly ExplainedBackend[]
  /** What happens: one verdict, or one for each backend that may be chosen. */
  readonly verdicts: readonly RequestVerdict[]
  /** What depends on more than the request and the configuration; it is assumed to let the request pass. */
  readonly undecided: readonly Undecided[]
}

/** The request as the gateway sees it. */
export interface ExplainedRequest {
  readonly method: string
  readonly url: string
  /** Path and query as they are sent. */
  readonly received: string
  /** Path and query as they are matched: normalized, and after policies of the listener. */
  readonly target: string
  readonly host: string
}

/** The listener that serves the request. */
export interface ExplainedListener {
  readonly key: string
  readonly gateway: string
  readonly name: string
  readonly hostname: string
  readonly protocol: string
  readonly written: Written | undefined
}

/** The route that matched. */
export interface ExplainedRoute {
  readonly key: string
  /** `namespace/name`. */
  readonly name: string
  readonly rule: string | undefined
  /** The matcher that matched, such as `GET prefix "/api"`. */
  readonly match: string
  readonly written: Written | undefined
}

/** A listener or route that was not chosen. */
export interface NotChosen {
  readonly key: string
  readonly why: string
  readonly written: Written | undefined
}

/** A policy in force. */
export interface ExplainedPolicy {
  readonly policy: string
  /** Where it acts. */
  readonly level: 'listener' | 'route' | 'backend'
  /** The name of the listener, the route or the backend. */
  readonly of: string
  readonly value: unknown
  /** Outer levels first; several if it was merged, none for a default. */
  readonly written: readonly Written[]
  /** What its verdict depends on at run time. */
  readonly undecided?: string
}

/** A backend that the route may use. */
export interface ExplainedBackend {
  readonly name: string
  readonly type: string
  readonly weight: number
  readonly priority: number
  /** How likely it is chosen while all are available: 0…1. */
  readonly share: number
  /** Addresses, MCP servers, or models. */
  readonly targets: readonly string[]
  /** How one of the targets is chosen. */
  readonly choice: string | undefined
  readonly written: Written | undefined
}

/** Something that is known at run time only. */
export interface Undecided {
  readonly level: string
  readonly of: string
  readonly policy: string
  readonly why: string
}

/** The result of a request. */
export type RequestVerdict =
  { readonly kind: 'closed'; readonly why: string } | RepliedVerdict | ForwardedVerdict

/** The gateway replies itself. */
export interface RepliedVerdict {
  readonly kind: 'reply'
  readonly status: number
  /** As in the access log. */
  readonly code: string | undefined
  /** The stage that replies. */
  readonly by: string
  readonly message: string | undefined
  readonly headers: readonly string[]
  /** If only this backend gives this verdict. */
  readonly backend?: string
}

/** The request is sent to a backend. */
export interface ForwardedVerdict {
  readonly kind: 'forward'
  readonly backend: string
  readonly type: string
  /** Absent for MCP: the servers get requests of the gateway's own. */
  readonly sent?: SentRequest
}

/** A request as it is sent. */
export interface SentRequest {
  readonly method: string
  readonly target: string
  /** Names and values alternating; credentials are redacted. */
  readonly headers: readonly string[]
  /** The model in the body, of requests to language models. */
  readonly model?: string
}
