import type { Exchange } from '../model/exchange.ts'
import type { BackendLabels } from '../model/snapshot.ts'
import type { UpstreamCall, UpstreamEvents } from './call.ts'

/** A destination that answers HTTP requests: one or several endpoints behind a name. */
export interface HttpUpstream {
  readonly labels: BackendLabels
  /** Sends the exchange's request. Sets `x.endpoint`; events may come before it returns. */
  call(x: Exchange, events: UpstreamEvents): UpstreamCall
  /** What it is called in the exchange's request; undefined if that keeps the client's name for it. */
  authority?(x: Exchange): string | undefined
}
