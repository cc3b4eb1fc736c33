import type { Exchange } from '../exchange/exchange.ts'
import type { Reply } from '../exchange/reply.ts'
import type { TraceEntry } from './trace-event.ts'

/** Makes probes for traced exchanges. */
export interface TraceSource {
  /** A probe if the exchange is traced, else undefined. */
  probe(x: Exchange): Probe | undefined
}

/**
 * The recorder of one traced exchange. Stages reach it through `x.probe?.`, which is the whole cost of an untraced one.
 */
export interface Probe {
  /** Microseconds since the exchange was admitted. */
  now(): number
  /** A stage ran: its name, its start (from `now()`), and its reply, if any. */
  recordStage(stage: string, began: number, verdict: Reply | undefined): void
  /** Records an event of now, or of the time from `began` until now. */
  record(message: TraceEntry, began?: number): void
  /** Records the current state of the request, or of the reply if there is one. */
  snapshot(stage: string): void
  /** Whether a subscriber of the trace wants bodies. */
  readonly includesBodies: boolean
}
