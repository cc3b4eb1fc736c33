import type { Exchange } from '../../model/exchange/exchange.ts'
import type { Reply } from '../../model/exchange/reply.ts'
import { Request } from '../../model/exchange/request.ts'
import type { Probe } from '../../model/trace/probe.ts'
import type { RuleResult, TraceEntry } from '../../model/trace/trace-event.ts'

/** A choice among routes: of a listener, then of each route group that the chosen route leads to. */
export interface RouteSelection {
  /** Undefined if no route matched. */
  readonly selected: string | undefined
  /** The keys of all routes of the table. */
  readonly evaluated: readonly string[]
  /** The request as it was matched: policies of the listener may have changed it. */
  readonly request: Request
}

/** Rules that were evaluated, the last one deciding. */
export interface RuleEvaluation {
  readonly rules: readonly RuleResult[]
  readonly result: 'allow' | 'deny'
}

/** Records what the stages of one exchange decide. */
export class DryProbe implements Probe {
  readonly includesBodies = false
  readonly selections: RouteSelection[] = []
  readonly evaluations: RuleEvaluation[] = []
  /** Attributes of calls of language models, as in the trace. */
  readonly llm: TraceEntry[] = []
  /** The stage that replied first. */
  decidedBy: string | undefined = undefined
  readonly #x: Exchange

  constructor(x: Exchange) {
    this.#x = x
  }

  now(): number {
    return 0
  }

  recordStage(stage: string, _: number, verdict: Reply | undefined): void {
    if (verdict) this.decidedBy ??= stage
  }

  record(message: TraceEntry): void {
    if (message.type === 'routeSelection')
      this.selections.push({
        selected: message.selectedRoute ?? undefined,
        evaluated: message.evaluatedRoutes,
        request: copyOf(this.#x.request),
      })
    else if (message.type === 'authorizationResult')
      this.evaluations.push({ rules: message.rules, result: message.result })
    else if (message.type === 'llmRequestDetected' || message.type === 'llmRouteResolved')
      this.llm.push(message)
  }

  snapshot(): void {
    // The state of the request is of interest only where a route is selected.
  }
}

const copyOf = (request: Request): Request => {
  const { method, path, query, scheme, authority, httpVersion, headers, body, connection } = request
  return new Request({
    method,
    path,
    query,
    scheme,
    authority,
    httpVersion,
    headers: headers.clone(),
    body,
    connection,
  })
}
