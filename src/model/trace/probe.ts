import type { Exchange } from '../exchange/exchange.ts'
import type { Reply } from '../exchange/reply.ts'
import type { TraceEntry } from './trace-event.ts'

/** Where exchanges ask whether somebody is watching. */
export interface TraceSource {
  /** A probe if anybody wants this exchange, else nothing at all. */
  probe(x: Exchange): Probe | undefined
}

/** The recorder of one watched exchange. Stages reach it through `x.probe?.`, which is all an unwatched one pays. */
export interface Probe {
  /** Microseconds since the exchange was admitted. */
  now(): number
  /** A stage ran: its name, when it began (from `now()`), and the reply it gave, if any. */
  recordStage(stage: string, began: number, verdict: Reply | undefined): void
  /** Something worth telling happened now, or from `began` until now. */
  record(message: TraceEntry, began?: number): void
  /** The request, or the reply if there is one, as it stands. */
  snapshot(stage: string): void
  /** Bytes of a body that passed, for watchers who asked for bodies. */
  readonly includesBodies: boolean
}
