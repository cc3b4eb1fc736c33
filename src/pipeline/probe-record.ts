import type { Exchange } from '../model/exchange/exchange.ts'
import type { BackendLabels, RouteLabels } from '../model/resources/snapshot.ts'
import type { TraceEntry } from '../model/trace/trace-event.ts'
import type { ReplyPortrait, RequestPortrait } from './probe-state.ts'

/** One recorded event: a message, a snapshot of the exchange, or both. */
export interface ProbeRecord {
  /** Microseconds since the exchange was admitted; undefined for a moment. */
  began: number | undefined
  at: number
  message: TraceEntry | undefined
  readonly snapshot: ExchangePortrait | undefined
}

/** The state of an exchange at one moment. */
export interface ExchangePortrait {
  readonly stage: string
  readonly request: RequestPortrait
  readonly reply: ReplyPortrait | undefined
  readonly fromUpstream: boolean
  readonly labels: RouteLabels
  readonly backend: BackendLabels | undefined
  /** Milliseconds up to the upstream call, and from there to the head of its response; 0 if there was none. */
  readonly requestProcessingMs: number
  readonly upstreamMs: number
}

/** The record of a message. */
export const recordOf = (message: TraceEntry, at: number, began: number | undefined): ProbeRecord => ({
  began,
  at,
  message,
  snapshot: undefined,
})

/** The current state of the exchange. */
export const portraitOf = (
  stage: string,
  x: Exchange,
  request: RequestPortrait,
  reply: ReplyPortrait | undefined,
): ExchangePortrait => ({
  stage,
  request,
  reply,
  fromUpstream: x.reply?.reason === 'Upstream',
  labels: x.labels,
  backend: x.upstream.backend,
  requestProcessingMs: x.upstream.startedAt && x.upstream.startedAt - x.request.startedAt,
  upstreamMs: x.upstream.respondedAt && x.upstream.respondedAt - x.upstream.startedAt,
})
